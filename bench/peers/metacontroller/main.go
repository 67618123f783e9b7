// SPDX-License-Identifier: Apache-2.0

// Command metacontroller is a peer of the benchmark: Metacontroller, built from its packages. Go cannot build its own
// command, because the name in its go.mod is not the address of its repository; the replace directive of our go.mod
// joins the two. The flags have the names and the defaults of that command, and what is no flag here has its default,
// except that nothing is listed again every 30 min: a measurement is shorter.
package main

import (
	"flag"
	"os"
	"time"

	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/klogr"
	ctrl "sigs.k8s.io/controller-runtime" // adds the flag -kubeconfig

	"metacontroller/pkg/options"
	"metacontroller/pkg/server"
)

const (
	discoveryInterval = 30 * time.Second
	eventsPerSecond   = 1. / 300 // for each object
	eventsBurst       = 25
)

func parseFlags() (options.Configuration, error) {
	workers := flag.Int("workers", 5, "number of sync workers")
	qps := flag.Float64("client-go-qps", 5, "requests per second of the client")
	burst := flag.Int("client-go-burst", 10, "burst of the client")
	metricsAddress := flag.String("debug-addr", ":9999", "address of the metrics endpoint")
	klog.InitFlags(nil)
	flag.Parse()
	ctrl.SetLogger(klogr.NewWithOptions(klogr.WithFormat(klogr.FormatKlog)))

	config, err := ctrl.GetConfig()
	if err != nil {
		return options.Configuration{}, err
	}
	config.QPS, config.Burst = float32(*qps), *burst
	return options.Configuration{
		RestConfig:        config,
		DiscoveryInterval: discoveryInterval,
		Workers:           *workers,
		CorrelatorOptions: record.CorrelatorOptions{BurstSize: eventsBurst, QPS: eventsPerSecond},
		MetricsEndpoint:   *metricsAddress,
	}, nil
}

func run() error {
	configuration, err := parseFlags()
	if err != nil {
		return err
	}
	mgr, stop, err := server.New(configuration)
	if err != nil {
		return err
	}
	defer stop()
	return mgr.Start(ctrl.SetupSignalHandler())
}

func main() {
	if err := run(); err != nil {
		klog.ErrorS(err, "metacontroller failed")
		os.Exit(1)
	}
}
