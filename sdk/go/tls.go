// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificates are PEM files that are read again when they change.
type certificates struct {
	cert, key, clientCA string

	mutex  sync.Mutex
	stamp  [3]time.Time
	config *tls.Config
}

// tlsConfig returns the configuration of a server whose files may change.
func tlsConfig(cert, key, clientCA string) (*tls.Config, error) {
	files := &certificates{cert: cert, key: key, clientCA: clientCA}
	if err := files.load(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return files.current(), nil },
	}, nil
}

// current returns the configuration of the files as they are now, or the previous one if they cannot be used.
func (c *certificates) current() *tls.Config {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	stamp, err := c.stamps()
	if err == nil && stamp != c.stamp {
		err = c.load()
	}
	if err != nil {
		slog.Warn("Kept the old certificates", "error", err)
	}
	return c.config
}

func (c *certificates) stamps() (stamp [3]time.Time, err error) {
	for i, path := range []string{c.cert, c.key, c.clientCA} {
		if path == "" {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			return stamp, err
		}
		stamp[i] = info.ModTime()
	}
	return stamp, nil
}

func (c *certificates) load() error {
	stamp, err := c.stamps()
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
	if c.clientCA != "" {
		pem, err := os.ReadFile(c.clientCA)
		if err != nil {
			return err
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("%s has no PEM certificate", c.clientCA)
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	c.stamp, c.config = stamp, config
	return nil
}
