-- CreateTable
CREATE TABLE "staff_member" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" TEXT,
    "email" TEXT,
    "role" TEXT NOT NULL,
    "secret_hash" BYTEA,
    "invited_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "accepted_at" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "staff_member_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "staff_member_secret_hash_key" ON "staff_member"("secret_hash");

-- CreateIndex
CREATE INDEX "staff_member_user" ON "staff_member"("user_id") WHERE (user_id IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "staff_member_store_id_user_id_key" ON "staff_member"("store_id", "user_id");

-- AddForeignKey
ALTER TABLE "staff_member" ADD CONSTRAINT "staff_member_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE staff_member ADD CHECK (role IN ('MANAGER', 'CATALOGUE', 'FULFILLMENT', 'SUPPORT'));
-- An invitation has an address and an end; a member has a user, and neither secret nor address.
ALTER TABLE staff_member ADD CHECK ((user_id IS NULL) = (email IS NOT NULL));
ALTER TABLE staff_member ADD CHECK ((user_id IS NULL) = (expires_at IS NOT NULL));
ALTER TABLE staff_member ADD CHECK ((user_id IS NULL) = (accepted_at IS NULL));
ALTER TABLE staff_member ADD CHECK (user_id IS NULL OR secret_hash IS NULL);
