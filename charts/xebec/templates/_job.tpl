{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Pods that run to completion: the certificate Job's and that of `helm test`. */}}

{{/* `defaults`, overridden by "pod": tls.auto.pod or check.pod. */}}
{{- define "xebec.job.settings" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy .pod) | toYaml -}}
{{- end }}

{{- define "xebec.job.labels" -}}
{{- include "xebec.podLabels" . }}
{{- with .settings.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The environment of the container. Variables XEBEC_* of `defaults` are settings of the services: xebec-certs rejects unknown ones. */}}
{{- define "xebec.job.env" -}}
{{- $env := list }}
{{- range .extraEnv }}
{{- if not (hasPrefix "XEBEC_" .name) }}
{{- $env = append $env . }}
{{- end }}
{{- end }}
{{- with $env }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
