{{- define "docloom.name" -}}
{{- printf "%s" .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "docloom.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "docloom.selector" . }}
{{- end -}}

{{- define "docloom.selector" -}}
app.kubernetes.io/name: docloom
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "docloom.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{/* Settings that the chart derives from its values; `settings` may add others. */}}
{{- define "docloom.environment" -}}
{{- $temporal := .Values.servers.temporal.address -}}
{{- if and (not $temporal) .Values.temporal.enabled -}}
{{- $temporal = printf "%s-temporal-frontend:7233" .Release.Name -}}
{{- end -}}
{{- $search := .Values.servers.search.host -}}
{{- if and (not $search) .Values.opensearch.enabled -}}
{{- $search = "opensearch-cluster-master" -}}
{{- end -}}
TEMPORAL_ADDRESS: {{ required "servers.temporal.address, or temporal.enabled, is needed" $temporal | quote }}
TEMPORAL_NAMESPACE: {{ .Values.servers.temporal.namespace | quote }}
{{- with .Values.servers.temporal.uiAddress }}
TEMPORAL_UI_ADDRESS: {{ . | quote }}
{{- end }}
SEARCH_HOST: {{ required "servers.search.host, or opensearch.enabled, is needed" $search | quote }}
SEARCH_PORT: {{ .Values.servers.search.port | quote }}
{{- if .Values.servers.search.tls }}
SEARCH_USE_SSL: "true"
{{- end }}
{{- with .Values.servers.search.username }}
SEARCH_USERNAME: {{ . | quote }}
{{- end }}
DOCLOOM_STORAGE: s3
DOCLOOM_S3_BUCKET: {{ required "servers.store.bucket is needed: pods share no folder" .Values.servers.store.bucket | quote }}
DOCLOOM_S3_REGION: {{ .Values.servers.store.region | quote }}
{{- with .Values.servers.store.endpoint }}
DOCLOOM_S3_ENDPOINT: {{ . | quote }}
{{- end }}
DOCLOOM_DATA: /data
{{- end -}}

{{- define "docloom.sharedSecret" -}}
{{- if .Values.secret.existing -}}
{{ .Values.secret.existing }}
{{- else if .Values.secret.values -}}
{{ include "docloom.name" . }}-secrets
{{- else -}}
{{- fail "secret.existing is needed: a Secret with MONGODB_URL and the other secrets that api and workers share" -}}
{{- end -}}
{{- end -}}

{{- define "docloom.apiSecret" -}}
{{- if .Values.secret.existingApi -}}
{{ .Values.secret.existingApi }}
{{- else if .Values.secret.apiValues -}}
{{ include "docloom.name" . }}-api-secrets
{{- else -}}
{{- fail "secret.existingApi is needed: a Secret with JWT_SECRET_KEY and the other secrets of the api" -}}
{{- end -}}
{{- end -}}

{{- define "docloom.podSecurity" -}}
automountServiceAccountToken: false
serviceAccountName: {{ include "docloom.name" . }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "docloom.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
