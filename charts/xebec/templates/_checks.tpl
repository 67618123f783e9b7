{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* What the schema cannot see: values that contradict each other. Each refusal says what is wrong and what to do. */}}

{{- define "xebec.checks" -}}
{{- include "xebec.checks.names" . -}}
{{- include "xebec.checks.tls" . -}}
{{- include "xebec.checks.scope" . -}}
{{- include "xebec.checks.observability" . -}}
{{- range list "watcher" "planner" "applier" -}}
{{- include "xebec.checks.component" (dict "component" . "values" (include "xebec.settings" (dict "root" $ "component" .) | fromYaml)) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.names" -}}
{{- $full := include "xebec.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $full) -}}
{{- fail (printf "\nThe objects would be named after %q, and a Service's name begins with a letter. Choose another release name, or set fullnameOverride." $full) -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.tls" -}}
{{- if eq .Values.tls.mode "disabled" -}}
{{- fail "\ntls.mode=disabled: without TLS the three services listen on loopback and unix sockets only, so in three Pods they could not reach each other. Use tls.mode=auto (needs nothing else), certManager or existingSecret. To try things out without a certificate, ask the planner through planner.plaintextListener.enabled=true and kubectl port-forward." -}}
{{- end -}}
{{- if eq .Values.tls.mode "existingSecret" -}}
{{- range list "watcher" "planner" "applier" -}}
{{- if not (get $.Values.tls.existingSecret .) -}}
{{- fail (printf "\ntls.mode=existingSecret: tls.existingSecret.%s is empty; name the Secret with its tls.crt, tls.key and ca.crt." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.scope" -}}
{{- if gt (len .Values.watchNamespaces) 1 -}}
{{- fail (printf "\nwatchNamespaces has %d entries: a watcher looks at all namespaces or at one. Leave the list empty for all, name one, or install one release for each namespace." (len .Values.watchNamespaces)) -}}
{{- end -}}
{{- if not (include "xebec.enabledKinds" . | fromYaml).parents -}}
{{- fail "\nEvery kind is switched off, so there is nothing to do: enable at least one of kinds.iris, kinds.podset, kinds.immortal, kinds.database." -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.observability" -}}
{{- if and .Values.podMonitor.enabled .Values.serviceMonitor.enabled -}}
{{- fail "\npodMonitor.enabled and serviceMonitor.enabled are both true: every Pod would be scraped twice. Keep one." -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (or .Values.podMonitor.enabled .Values.serviceMonitor.enabled) (not .Values.networkPolicy.metricsFrom) -}}
{{- fail "\nnetworkPolicy.enabled would keep the monitor from scraping: name in networkPolicy.metricsFrom where Prometheus runs." -}}
{{- end -}}
{{- end }}

{{- define "xebec.checks.component" -}}
{{- $budget := .values.podDisruptionBudget -}}
{{- if and (ne (toString $budget.minAvailable) "") (ne (toString $budget.maxUnavailable) "") -}}
{{- fail (printf "\n%s.podDisruptionBudget has both minAvailable and maxUnavailable; Kubernetes takes one." .component) -}}
{{- end -}}
{{- if and (not .values.serviceAccount.create) (not .values.serviceAccount.name) (ne .component "planner") -}}
{{- fail (printf "\n%s.serviceAccount.create=false: name the ServiceAccount to use in %s.serviceAccount.name; the namespace's default one is everybody's." .component .component) -}}
{{- end -}}
{{- with .values.autoscaling -}}
{{- if and .enabled (lt (int .maxReplicas) (int .minReplicas)) -}}
{{- fail (printf "\n%s.autoscaling: maxReplicas %d is less than minReplicas %d." $.component (int .maxReplicas) (int .minReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end }}
