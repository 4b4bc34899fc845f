-- Every row gets a key, which the data model and logical replication need. The primary key also finds the entries of an edition.
ALTER TABLE list_entry ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE list_entry ADD PRIMARY KEY (list, edition, id);
DROP INDEX list_entry_edition;
