// SPDX-License-Identifier: Apache-2.0

// Package operator is for Kubernetes operators in Go.
//
// An operator is a function that decides what should exist for one object, the parent. Xebec watches the parent and its
// children, calls the function, and writes what the function decides:
//
//	func sync(ctx context.Context, o *operator.Observation) error {
//		o.Ensure(operator.Object{
//			"apiVersion": "v1",
//			"kind":       "ConfigMap",
//			"metadata":   map[string]any{"name": o.Name()},
//			"data":       map[string]any{"index.html": o.Parent.String("spec", "text")},
//		})
//		o.SetCondition("Ready", true, "Written", "")
//		return nil
//	}
//
//	func main() {
//		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
//		defer stop()
//		if err := operator.New("websites.example.com", sync).Serve(ctx, operator.ServeOptions{}); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// The function must depend on the observation only: equal observations must get equal decisions. It must not write to the
// API server. Package operatortest calls it without a cluster.
package operator

// Version is the version of this module.
const Version = "0.1.0"
