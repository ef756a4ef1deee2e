// Who names a blob: it is deleted with the last of them.

CREATE INDEX tool_artifact_result_blob IF NOT EXISTS FOR (n:ToolArtifact) ON (n.tenant_id, n.result_blob);
CREATE INDEX tool_call_arguments_blob IF NOT EXISTS FOR (n:ToolCall) ON (n.tenant_id, n.arguments_blob);
