// SPDX-License-Identifier: Apache-2.0

// Command webhook is the operator of Iris for Metacontroller: it decides the same as bench/programs/go-iris. It counts
// its calls, which GET /calls returns. It needs no library.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"sync/atomic"
	"time"
)

// object is short for a JSON object.
type object = map[string]any

// parent is what the decision needs of an Iris.
type parent struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		DeploymentName string `json:"deploymentName"`
		Replicas       *int64 `json:"replicas"`
		Image          string `json:"image"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	LastTransitionTime string `json:"lastTransitionTime"`
	ObservedGeneration int64  `json:"observedGeneration"`
}

// child is what the decision needs of a Deployment.
type child struct {
	Metadata struct {
		Generation int64 `json:"generation"`
	} `json:"metadata"`
	Spec struct {
		Replicas int64 `json:"replicas"`
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration *int64 `json:"observedGeneration"`
		ReadyReplicas      int64  `json:"readyReplicas"`
		Replicas           int64  `json:"replicas"`
	} `json:"status"`
}

type request struct {
	Parent   parent `json:"parent"`
	Children struct {
		Deployments map[string]child `json:"Deployment.apps/v1"`
	} `json:"children"`
}

type answer struct {
	Status   object   `json:"status"`
	Children []object `json:"children"`
}

func deployment(name, image string, replicas int64) object {
	labels := object{"iris/deployment-name": name}
	pod := object{"containers": []object{{"name": "iris", "image": image}}}
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": name}, "spec": object{
		"replicas": replicas,
		"selector": object{"matchLabels": labels},
		"template": object{"metadata": object{"labels": labels}, "spec": pod},
	}}
}

// applied reports whether the Deployment has these fields, and whether its controller, if it has one, has seen them.
func (c child) applied(image string, replicas int64) bool {
	containers, seen := c.Spec.Template.Spec.Containers, c.Status.ObservedGeneration
	return len(containers) == 1 && containers[0].Image == image && c.Spec.Replicas == replicas &&
		(seen == nil || *seen >= c.Metadata.Generation)
}

// condition returns a condition with the time at which it took its status. Metacontroller leaves that to the webhook.
func (p parent) condition(conditionType string, holds bool, reason, message string) condition {
	made := condition{conditionType, "False", reason, message, time.Now().UTC().Format(time.RFC3339), p.Metadata.Generation}
	if holds {
		made.Status = "True"
	}
	for _, each := range p.Status.Conditions {
		if each.Type == conditionType && each.Status == made.Status {
			made.LastTransitionTime = each.LastTransitionTime
		}
	}
	return made
}

func decide(in request) answer {
	name, image, replicas := in.Parent.Spec.DeploymentName, in.Parent.Spec.Image, int64(1)
	if in.Parent.Spec.Replicas != nil {
		replicas = *in.Parent.Spec.Replicas
	}
	live, exists := in.Children.Deployments[name]
	ready, reason := live.Status.ReadyReplicas, "Deploying"
	done := exists && live.applied(image, replicas) && ready >= replicas
	if done {
		reason = "DeploymentReady"
	}
	message := fmt.Sprintf("%d of %d replicas are ready", ready, replicas)
	return answer{
		Status: object{"readyReplicas": ready, "replicas": live.Status.Replicas, "selector": "iris/deployment-name=" + name,
			"conditions": []condition{in.Parent.condition("Ready", done, reason, message),
				in.Parent.condition("Progressing", !done, reason, message)}},
		Children: []object{deployment(name, image, replicas)},
	}
}

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "address of the server")
	flag.Parse()
	var calls atomic.Int64
	http.HandleFunc("POST /sync", func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var in request
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(decide(in)) // fails if the caller is gone, who then calls again
	})
	http.HandleFunc("GET /calls", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, calls.Load()) })
	log.Fatal(http.ListenAndServe(*address, nil))
}
