{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Pods that run to completion: the certificate Job's and that of `helm test`. */}}

{{/* `defaults`, overridden by "pod": tls.auto.pod or check.pod. Variables XEBEC_* of `defaults` are settings of the services, and the programs
     of the jobs reject settings that they do not have. */}}
{{- define "xebec.job.settings" -}}
{{- $env := list }}
{{- range .root.Values.defaults.extraEnv }}
{{- if not (hasPrefix "XEBEC_" .name) }}
{{- $env = append $env . }}
{{- end }}
{{- end }}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (dict "extraEnv" $env) (deepCopy .pod) | toYaml -}}
{{- end }}

{{- define "xebec.job.labels" -}}
{{- include "xebec.podLabels" . }}
{{- with .settings.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The environment of the container. */}}
{{- define "xebec.job.env" -}}
{{- with .extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
