// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"xebec.dev/operator/internal/hooksv1"
)

// Input is an observation as tests and tools write it. Objects are [Object] or any values that encoding/json can
// marshal; children and related objects need apiVersion and kind.
type Input struct {
	Parent            any
	Children, Related []any
	LastOutcomes      []Outcome
	Configuration     any
	Now               time.Time
	// Phase is Finalize if the parent has a deletionTimestamp, whatever its value.
	Phase Phase
}

func (in Input) request(name string) (*hooksv1.SyncRequest, error) {
	parent, err := toObject(in.Parent)
	if err != nil {
		return nil, fmt.Errorf("parent: %w", err)
	}
	request := &hooksv1.SyncRequest{Operator: name, Phase: hooksv1.Phase_PHASE_SYNC, Parent: text(parent)}
	if in.Phase == Finalize || parent.Deleting() {
		request.Phase = hooksv1.Phase_PHASE_FINALIZE
	}
	if request.Children, err = groups(in.Children); err != nil {
		return nil, fmt.Errorf("children: %w", err)
	}
	if request.Related, err = groups(in.Related); err != nil {
		return nil, fmt.Errorf("related: %w", err)
	}
	if in.Configuration != nil {
		configuration, err := toObject(in.Configuration)
		if err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
		request.Configuration = text(configuration)
	}
	if !in.Now.IsZero() {
		request.Now = timestamppb.New(in.Now)
	}
	for _, each := range in.LastOutcomes {
		request.LastOutcomes = append(request.LastOutcomes, outcomeMessage(each))
	}
	return request, nil
}

func groups(values []any) ([]*hooksv1.ObjectGroup, error) {
	objects := make([]Object, len(values))
	for i, value := range values {
		object, err := toObject(value)
		if err != nil {
			return nil, err
		}
		objects[i] = object
	}
	key := func(o Object) string {
		return o.APIVersion() + "\x00" + o.Kind() + "\x00" + o.Namespace() + "\x00" + o.Name()
	}
	sort.Slice(objects, func(i, j int) bool { return key(objects[i]) < key(objects[j]) })
	var found []*hooksv1.ObjectGroup
	for _, each := range objects {
		last := len(found) - 1
		if last < 0 || found[last].ApiVersion != each.APIVersion() || found[last].Kind != each.Kind() {
			found = append(found, &hooksv1.ObjectGroup{ApiVersion: each.APIVersion(), Kind: each.Kind()})
			last++
		}
		found[last].Objects = append(found[last].Objects, text(each))
	}
	return found, nil
}

// text returns the JSON of an object that toObject or parseObject has made, which always can be marshaled.
func text(object Object) string {
	encoded, _ := json.Marshal(object)
	return string(encoded)
}

func outcomeMessage(outcome Outcome) *hooksv1.Outcome {
	message := &hooksv1.Outcome{
		ApiVersion: outcome.APIVersion, Kind: outcome.Kind, Namespace: outcome.Namespace, Name: outcome.Name, Operation: outcome.Operation,
		Code: outcome.Code, Reason: outcome.Reason, Message: outcome.Message, Memo: outcome.Memo,
		Repeats: uint32(outcome.Repeats),
	}
	if !outcome.At.IsZero() {
		message.At = timestamppb.New(outcome.At)
	}
	return message
}

func newObservation(request *hooksv1.SyncRequest) (*Observation, error) {
	o := &Observation{Operator: request.Operator}
	switch request.Phase {
	case hooksv1.Phase_PHASE_SYNC:
	case hooksv1.Phase_PHASE_FINALIZE:
		o.Phase = Finalize
	default:
		return nil, malformedf("unknown phase %d", request.Phase)
	}
	var err error
	if o.Parent, err = kubernetesObject(request.Parent); err != nil {
		return nil, malformedf("the parent: %w", err)
	}
	if o.children, err = objectsOf(request.Children); err != nil {
		return nil, malformedf("a child: %w", err)
	}
	if o.related, err = objectsOf(request.Related); err != nil {
		return nil, malformedf("a related object: %w", err)
	}
	if request.Configuration != "" {
		if o.Configuration, err = parseObject(request.Configuration); err != nil {
			return nil, malformedf("the configuration: %w", err)
		}
	}
	if request.Now != nil {
		o.Now = request.Now.AsTime()
	}
	for _, each := range request.LastOutcomes {
		o.LastOutcomes = append(o.LastOutcomes, outcomeOf(each))
	}
	return o, nil
}

func outcomeOf(message *hooksv1.Outcome) Outcome {
	outcome := Outcome{
		APIVersion: message.ApiVersion, Kind: message.Kind, Namespace: message.Namespace, Name: message.Name, Operation: message.Operation,
		Code: message.Code, Reason: message.Reason, Message: message.Message, Memo: message.Memo,
		Repeats: int(message.Repeats),
	}
	if message.At != nil {
		outcome.At = message.At.AsTime()
	}
	return outcome
}

func kubernetesObject(text string) (Object, error) {
	object, err := parseObject(text)
	if err == nil && object.Name() == "" {
		err = fmt.Errorf("no metadata.name")
	}
	return object, err
}

func objectsOf(groups []*hooksv1.ObjectGroup) ([]Object, error) {
	var found []Object
	for _, group := range groups {
		for _, text := range group.Objects {
			object, err := kubernetesObject(text)
			if err != nil {
				return nil, err
			}
			if object.Kind() == "" {
				object["apiVersion"], object["kind"] = group.ApiVersion, group.Kind
			}
			found = append(found, object)
		}
	}
	return found, nil
}

// statusFields returns the members of a status. It keeps members that are null, because they remove fields.
func statusFields(status any) (Object, error) {
	encoded, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return parseObject(string(encoded))
}

func encode(decision *Decision) (*hooksv1.DesiredState, error) {
	state := &hooksv1.DesiredState{Events: eventMessages(decision.Events), Invalid: valid(decision.Invalid)}
	for _, each := range decision.Children {
		encoded, err := json.Marshal(each.Object)
		if err != nil {
			return nil, err
		}
		state.Children = append(state.Children, &hooksv1.DesiredChild{
			Object: string(encoded), Stage: int32(each.Stage), ByVersion: each.ByVersion,
			OnCreated: eventMessages(each.Created), OnChanged: eventMessages(each.Changed), Memo: valid(each.Memo),
		})
	}
	for _, each := range decision.Deletions {
		state.Deletions = append(state.Deletions, &hooksv1.Deletion{
			ApiVersion: valid(each.APIVersion), Kind: valid(each.Kind), Name: valid(each.Name), Namespace: valid(each.Namespace),
			Stage:       int32(each.Stage),
			Propagation: hooksv1.Propagation(each.Propagation) + hooksv1.Propagation_PROPAGATION_BACKGROUND,
			Reason:      valid(each.Reason), OnDeleted: eventMessages(each.Deleted),
		})
	}
	if len(decision.Status) > 0 {
		encoded, err := json.Marshal(decision.Status)
		if err != nil {
			return nil, err
		}
		state.Status = string(encoded)
	}
	for _, each := range decision.Conditions {
		state.Conditions = append(state.Conditions, &hooksv1.Condition{
			Type: valid(each.Type), Status: each.Status, Reason: valid(each.Reason), Message: valid(each.Message),
		})
	}
	if decision.ResyncAfter > 0 {
		state.ResyncAfter = durationpb.New(decision.ResyncAfter)
	}
	return state, nil
}

func eventMessages(events []Event) []*hooksv1.Event {
	var messages []*hooksv1.Event
	for _, each := range events {
		message := &hooksv1.Event{
			Type: hooksv1.EventType_EVENT_TYPE_NORMAL, Reason: valid(each.Reason), Action: valid(each.Action), Note: valid(each.Note),
		}
		if each.Warning {
			message.Type = hooksv1.EventType_EVENT_TYPE_WARNING
		}
		messages = append(messages, message)
	}
	return messages
}

// valid returns the text as UTF-8, which protobuf requires.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
