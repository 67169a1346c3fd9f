{{- define "onceway.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 letters, so that a CronJob's name with a window's keeps within its 52. */}}
{{- define "onceway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "onceway.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "onceway.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "onceway.selector" -}}
app.kubernetes.io/name: {{ include "onceway.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "onceway.labels" -}}
{{ include "onceway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "onceway.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "onceway.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "onceway.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository .Values.image.tag -}}
{{- end -}}
{{- end -}}

{{- define "onceway.autoscaled" -}}
{{- if or .Values.autoscaling.adapter.enabled .Values.autoscaling.keda.enabled -}}true{{- end -}}
{{- end -}}

{{/* A subscription's ID and project, from either form of its name. */}}
{{- define "onceway.subscriptionID" -}}
{{- last (splitList "/" .name) -}}
{{- end -}}

{{- define "onceway.subscriptionProject" -}}
{{- if contains "/" .name -}}{{- index (splitList "/" .name) 1 -}}{{- else -}}{{- .project -}}{{- end -}}
{{- end -}}

{{/*
The pod's grace period: what handlers get, then what it takes to settle those that
were cancelled (the budget of the write that finishes, one call of the store), and some.
*/}}
{{- define "onceway.settleSeconds" -}}
{{- add (int .Values.worker.graceSeconds) (int .Values.claims.finishBudgetSeconds) (int .Values.claims.storeTimeoutSeconds) 5 -}}
{{- end -}}

{{- define "onceway.terminationSeconds" -}}
{{- if kindIs "invalid" .Values.worker.terminationGracePeriodSeconds -}}
{{- include "onceway.settleSeconds" . -}}
{{- else -}}
{{- int .Values.worker.terminationGracePeriodSeconds -}}
{{- end -}}
{{- end -}}

{{- define "onceway.configMap" -}}
{{- if .Values.files.existingConfigMap -}}
{{- .Values.files.existingConfigMap -}}
{{- else if or .Values.files.groups .Values.files.policy .Values.files.tools -}}
{{- include "onceway.fullname" . -}}
{{- end -}}
{{- end -}}

{{/* What every container of the chart may: nothing. */}}
{{- define "onceway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "onceway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}
