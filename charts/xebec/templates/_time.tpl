{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* Durations and cron schedules as numbers, for the checks. */}}

{{/* "1m30s" -> 90000 */}}
{{- define "xebec.milliseconds" -}}
{{- $units := dict "ms" 1.0 "s" 1000.0 "m" 60000.0 "h" 3600000.0 -}}
{{- $sum := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|s|m|h)" . -1 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $sum = addf $sum (mulf (trimSuffix $unit . | float64) (get $units $unit)) -}}
{{- end -}}
{{- printf "%.0f" $sum -}}
{{- end }}

{{/* The maximum number of hours between two runs of a schedule; an estimate that is never too low. */}}
{{- define "xebec.cron.gap" -}}
{{- $named := dict "@hourly" 1 "@daily" 24 "@midnight" 24 "@weekly" 168 "@monthly" 744 "@yearly" 8784 "@annually" 8784 -}}
{{- $any := list "*" "?" -}}
{{- $fields := regexSplit " +" . -1 -}}
{{- if hasKey $named . -}}
{{ get $named . }}
{{- else if hasPrefix "@every " . -}}
{{ divf (include "xebec.milliseconds" .) 3600000 | ceil | int }}
{{- else if not (has (index $fields 3) $any) -}}
8784
{{- else if not (has (index $fields 4) $any) -}}
{{ mul 24 (include "xebec.cron.fieldGap" (dict "field" (index $fields 4) "size" 7 "schedule" .)) }}
{{- else if not (has (index $fields 2) $any) -}}
{{- /* Days 29 to 31 are not in every month. */ -}}
{{ regexMatch "(29|3[01])" (index $fields 2) | ternary 1488 744 }}
{{- else -}}
{{ include "xebec.cron.fieldGap" (dict "field" (index $fields 1) "size" 24 "schedule" .) }}
{{- end -}}
{{- end }}

{{/* The largest distance between two values of a field that repeats after "size": "0,6" of 24 -> 18 */}}
{{- define "xebec.cron.fieldGap" -}}
{{- $field := lower .field -}}
{{- range $number, $name := list "sun" "mon" "tue" "wed" "thu" "fri" "sat" -}}
{{- $field = replace $name (toString $number) $field -}}
{{- end -}}
{{- $values := list -}}
{{- range $value := until .size -}}
{{- range splitList "," $field -}}
{{- $parts := splitList "/" . -}}
{{- $ends := splitList "-" (first $parts | replace "*" (printf "0-%d" (sub $.size 1)) | replace "?" (printf "0-%d" (sub $.size 1))) -}}
{{- $from := first $ends | atoi -}}
{{- $to := ternary (sub $.size 1) (last $ends | atoi) (and (eq (len $ends) 1) (eq (len $parts) 2)) -}}
{{- $step := ternary (last $parts) "1" (eq (len $parts) 2) | atoi -}}
{{- if and (ge $value $from) (le $value $to) (eq (mod (sub $value $from) $step) 0) -}}
{{- $values = append $values $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not $values -}}
{{- fail (printf "\ntls.auto.schedule=%q never runs: a range must begin with its smaller number." .schedule) -}}
{{- end -}}
{{- $gap := 0 -}}
{{- $before := sub (last $values) .size -}}
{{- range $values -}}
{{- $gap = max $gap (sub . $before) -}}
{{- $before = . -}}
{{- end -}}
{{- $gap -}}
{{- end }}
