// SPDX-License-Identifier: Apache-2.0

// The operator of Website: a web server with a page and a Service.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"

	"xebec.dev/operator"
)

// object is short for a JSON object.
type object = map[string]any

var website = operator.New("websites.example.com", sync)

func sync(_ context.Context, o *operator.Observation) error {
	page, replicas := o.Parent.String("spec", "page"), o.Parent.Int(1, "spec", "replicas")
	image := o.Parent.String("spec", "image")
	if image == "" {
		image = "nginx:1.27-alpine"
	}
	if len(page) > 100_000 {
		return operator.Invalidf("spec.page must have at most 100000 bytes: shorten it")
	}
	labels := object{"app.kubernetes.io/name": "website", "app.kubernetes.io/instance": o.Name()}
	meta := object{"name": o.Name()}
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte(page)))[:16] // a new page replaces the Pods
	container := object{
		"name":         "web",
		"image":        image,
		"ports":        []object{{"containerPort": 80}},
		"volumeMounts": []object{{"name": "page", "mountPath": "/usr/share/nginx/html"}},
		"resources":    object{"requests": object{"cpu": "10m", "memory": "32Mi"}},
	}

	o.Ensure(object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": object{"index.html": page}})
	o.Ensure(object{"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": object{
		"selector": labels, "ports": []object{{"port": 80}},
	}})
	o.Ensure(object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": object{
		"replicas": replicas,
		"selector": object{"matchLabels": labels},
		"template": object{
			"metadata": object{"labels": labels, "annotations": object{"example.com/page": digest}},
			"spec": object{
				"containers": []object{container},
				"volumes":    []object{{"name": "page", "configMap": object{"name": o.Name()}}},
			},
		},
	}}, operator.Stage(1), operator.Created(fmt.Sprintf("Created website %q", o.Name())))

	live := o.Child("Deployment", o.Name())
	ready, updated := live.Int(0, "status", "readyReplicas"), live.Int(0, "status", "updatedReplicas")
	done, reason := o.IsApplied("Deployment", o.Name()) && min(ready, updated) >= replicas, "Deploying"
	if done {
		reason = "Serving"
	}
	o.SetStatus(object{"readyReplicas": ready})
	o.SetCondition("Ready", done, reason, fmt.Sprintf("%d of %d replicas are ready", ready, replicas))
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := website.Serve(ctx, operator.ServeOptions{}); err != nil {
		log.Fatal(err)
	}
}
