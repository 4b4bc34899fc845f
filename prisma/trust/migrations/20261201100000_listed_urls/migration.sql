-- Threat feeds list URLs: a URL is looked up by its hash, without the text of its path.

ALTER TABLE list_entry
  -- Hash of a listed URL, as subgraphs/trust/url-key.ts makes it; null for hosts, domains and ranks.
  ADD COLUMN url_key text COLLATE "C",
  -- Hash of the user that a listed URL belongs to, on hosts shared by path; null elsewhere.
  ADD COLUMN tenant_key text COLLATE "C";
CREATE INDEX list_entry_url ON list_entry (url_key, list, edition) WHERE url_key IS NOT NULL;
CREATE INDEX list_entry_tenant ON list_entry (tenant_key, list, edition) WHERE tenant_key IS NOT NULL;

-- Copies without hashes are downloaded again when the service starts next; until then they serve as they are.
UPDATE list SET etag = NULL, version = 'without hashes of URLs', next_attempt_at = to_timestamp(0)
WHERE version IS NOT NULL AND name IN (SELECT list FROM list_entry WHERE scope = 'url');
