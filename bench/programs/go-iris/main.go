// SPDX-License-Identifier: Apache-2.0

// The operator of Iris for the benchmark of hooks: each Iris gets a Deployment, a status and conditions.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"xebec.dev/operator"
)

// object is short for a JSON object.
type object = map[string]any

// delay is how long each call takes beside its work: the environment variable HOOK_DELAY_MS.
var delay = delayOf(os.Getenv("HOOK_DELAY_MS"))

func delayOf(milliseconds string) time.Duration {
	number, _ := strconv.Atoi(milliseconds)
	return time.Duration(number) * time.Millisecond
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

func sync(ctx context.Context, o *operator.Observation) error {
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	name, replicas := o.Parent.String("spec", "deploymentName"), o.Parent.Int(1, "spec", "replicas")
	o.Ensure(deployment(name, o.Parent.String("spec", "image"), replicas), operator.Created(fmt.Sprintf("Created deployment %q", name)))

	live := o.Child("Deployment", name)
	ready, reason := live.Int(0, "status", "readyReplicas"), "Deploying"
	done := o.IsApplied("Deployment", name) && ready >= replicas
	if done {
		reason = "DeploymentReady"
	}
	message := fmt.Sprintf("%d of %d replicas are ready", ready, replicas)
	o.SetStatus(object{"readyReplicas": ready, "replicas": live.Int(0, "status", "replicas"), "selector": "iris/deployment-name=" + name})
	o.SetCondition("Ready", done, reason, message)
	o.SetCondition("Progressing", !done, reason, message)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := operator.New("irises.example.com", sync).Serve(ctx, operator.ServeOptions{}); err != nil {
		log.Fatal(err)
	}
}
