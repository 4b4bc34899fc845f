-- Servers list every way to install them. Those that are stored have one, unless their command is
-- the fallback of a server without any; the next import fills in the others.
UPDATE item SET detail = detail || jsonb_build_object('installations',
  CASE WHEN detail->>'installCommand' ~ '^(git clone |https?:)' THEN '[]'::jsonb
       ELSE jsonb_build_array(jsonb_build_object('command', detail->'installCommand', 'transport', detail->'transport')) END)
WHERE kind = 'MCP_SERVER' AND NOT detail ? 'installations';
