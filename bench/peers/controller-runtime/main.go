// SPDX-License-Identifier: Apache-2.0

// Command irisop is the peer of the benchmark: an operator for Iris as a user would write it on controller-runtime
// today. Its defaults are those of kubebuilder's project template: one worker, development logging, no leader election.
// The flags -workers, -qps, -burst and -watch-pods select the other variants that ./dev bench measures.
package main

import (
	"flag"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type settings struct {
	workers, burst               int
	qps                          float64
	watchPods                    bool
	probeAddress, metricsAddress string
}

func parseFlags() settings {
	var s settings
	flag.IntVar(&s.workers, "workers", 1, "number of concurrent reconciles")
	flag.Float64Var(&s.qps, "qps", 0, "requests per second of the client (0: default of the library)")
	flag.IntVar(&s.burst, "burst", 0, "burst of the client (0: default of the library)")
	flag.BoolVar(&s.watchPods, "watch-pods", false, "watch all Pods, too")
	flag.StringVar(&s.probeAddress, "health-probe-bind-address", ":8081", "address of the health endpoint")
	flag.StringVar(&s.metricsAddress, "metrics-bind-address", "0", "address of the metrics endpoint (0: off)")
	opts := zap.Options{Development: true}
	opts.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&opts)))
	return s
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	scheme.AddKnownTypes(groupVersion, &Iris{}, &IrisList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme
}

func clientConfig(s settings) (*rest.Config, error) {
	config, err := ctrl.GetConfig()
	if err == nil && s.qps != 0 {
		config.QPS, config.Burst = float32(s.qps), s.burst
	}
	return config, err
}

func run(s settings) error {
	config, err := clientConfig(s)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 newScheme(),
		HealthProbeBindAddress: s.probeAddress,
		Metrics:                metricsserver.Options{BindAddress: s.metricsAddress},
	})
	if err != nil {
		return err
	}
	build := ctrl.NewControllerManagedBy(mgr).For(&Iris{}).Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: s.workers})
	if s.watchPods {
		build = build.Owns(&corev1.Pod{})
	}
	reconciler := &IrisReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme(), Recorder: mgr.GetEventRecorder("iris-controller")}
	if err := build.Complete(reconciler); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}

func main() {
	if err := run(parseFlags()); err != nil {
		ctrl.Log.Error(err, "irisop failed")
		os.Exit(1)
	}
}
