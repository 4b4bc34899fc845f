-- One sequence counts the entries of all stores. After its last number every audited change would
-- fail: it begins again instead, as a number tells apart entries of one store and moment only.
ALTER SEQUENCE audit_entry_id_seq CYCLE;
