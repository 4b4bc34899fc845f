-- How often all sessions of this user were ended: a log-in that was under way at that moment opens none.
ALTER TABLE "user" ADD COLUMN sign_outs integer NOT NULL DEFAULT 0;
