-- The log of one kind of actor, and of one user in a store, newest first: without these, a page of
-- rare entries read the whole log of the store. Of users, the new index replaces the one that
-- takes their ids out of the log.
CREATE INDEX "audit_entry_actor" ON "audit_entry"("store_id", "actor", "at", "id");
CREATE INDEX "audit_entry_user_in_store" ON "audit_entry"("user_id", "store_id", "at", "id") WHERE (user_id IS NOT NULL);
DROP INDEX "audit_entry_user";
