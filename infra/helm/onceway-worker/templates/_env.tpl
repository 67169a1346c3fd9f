{{/* The variables that the chart sets from values of its own, each with that value's name. */}}
{{- define "onceway.ownedEnv" -}}
GOOGLE_CLOUD_PROJECT: project
FUNCTION_TARGET: subscriptions
PORT: nothing; the worker has no port to choose
K_SERVICE: nothing; it is Cloud Run's
ONCEWAY_SUBSCRIPTIONS: subscriptions
ONCEWAY_OUTSTANDING: worker.outstanding
ONCEWAY_HEARTBEAT: worker.heartbeatSeconds
ONCEWAY_GRACE: worker.graceSeconds
ONCEWAY_WORKER_ADDRESS: nothing; probes need it as it is
ONCEWAY_CLAIMS: claims.backend
ONCEWAY_LEASE: claims.leaseSeconds
ONCEWAY_HANDLER_TIMEOUT: claims.handlerTimeoutSeconds
ONCEWAY_MARGIN: claims.marginSeconds
ONCEWAY_FINISH_BUDGET: claims.finishBudgetSeconds
ONCEWAY_STORE_TIMEOUT: claims.storeTimeoutSeconds
ONCEWAY_PREFIX: claims.prefix
ONCEWAY_FIRESTORE_DATABASE: claims.firestore.database
ONCEWAY_REDIS_URL: claims.redis.secretName
ONCEWAY_POSTGRES_URL: claims.postgres.secretName
ONCEWAY_ACK_DEADLINE: pubsub.ackDeadlineSeconds
ONCEWAY_RETENTION: pubsub.retentionHours
ONCEWAY_DEADLETTER_RETENTION: pubsub.deadLetterRetentionHours
ONCEWAY_DEADLETTER_TOPIC: pubsub.deadLetterTopic
ONCEWAY_GROUPS: files.groups
ONCEWAY_CHAT_POLICY: files.policy
ONCEWAY_CHAT_TOOLS: files.tools
{{- end -}}

{{- define "onceway.env" -}}
{{- $v := .Values -}}
{{- $pulls := list -}}
{{- range $v.subscriptions }}{{- $pulls = append $pulls (printf "%s=%s" .function .name) }}{{- end -}}
- {name: GOOGLE_CLOUD_PROJECT, value: {{ $v.project | quote }}}
- {name: ONCEWAY_SUBSCRIPTIONS, value: {{ join "," $pulls | quote }}}
- {name: ONCEWAY_OUTSTANDING, value: {{ $v.worker.outstanding | quote }}}
- {name: ONCEWAY_HEARTBEAT, value: "{{ int $v.worker.heartbeatSeconds }}s"}
- {name: ONCEWAY_GRACE, value: "{{ int $v.worker.graceSeconds }}s"}
- {name: ONCEWAY_WORKER_ADDRESS, value: ":9090"}
- {name: ONCEWAY_CLAIMS, value: {{ $v.claims.backend }}}
- {name: ONCEWAY_LEASE, value: "{{ int $v.claims.leaseSeconds }}s"}
- {name: ONCEWAY_HANDLER_TIMEOUT, value: "{{ int $v.claims.handlerTimeoutSeconds }}s"}
- {name: ONCEWAY_MARGIN, value: "{{ int $v.claims.marginSeconds }}s"}
- {name: ONCEWAY_FINISH_BUDGET, value: "{{ int $v.claims.finishBudgetSeconds }}s"}
- {name: ONCEWAY_STORE_TIMEOUT, value: "{{ int $v.claims.storeTimeoutSeconds }}s"}
- {name: ONCEWAY_ACK_DEADLINE, value: "{{ int $v.pubsub.ackDeadlineSeconds }}s"}
- {name: ONCEWAY_RETENTION, value: "{{ int $v.pubsub.retentionHours }}h"}
- {name: ONCEWAY_DEADLETTER_RETENTION, value: "{{ int $v.pubsub.deadLetterRetentionHours }}h"}
- {name: ONCEWAY_DEADLETTER_TOPIC, value: {{ $v.pubsub.deadLetterTopic | quote }}}
{{- with $v.claims.prefix }}
- {name: ONCEWAY_PREFIX, value: {{ . | quote }}}
{{- end }}
{{- if eq $v.claims.backend "firestore" }}
- {name: ONCEWAY_FIRESTORE_DATABASE, value: {{ $v.claims.firestore.database | quote }}}
{{- else if eq $v.claims.backend "redis" }}
- name: ONCEWAY_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ $v.claims.redis.secretName }}, key: {{ $v.claims.redis.secretKey }}}}
{{- else if eq $v.claims.backend "postgres" }}
- name: ONCEWAY_POSTGRES_URL
  valueFrom: {secretKeyRef: {name: {{ $v.claims.postgres.secretName }}, key: {{ $v.claims.postgres.secretKey }}}}
{{- end }}
{{- range $name, $variable := dict "groups" "ONCEWAY_GROUPS" "policy" "ONCEWAY_CHAT_POLICY" "tools" "ONCEWAY_CHAT_TOOLS" }}
{{- if or $v.files.existingConfigMap (get $v.files $name) }}
- {name: {{ $variable }}, value: /etc/onceway/{{ $name }}.yaml}
{{- end }}
{{- end }}
{{- range $name, $value := $v.env }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end -}}
