-- AlterTable
ALTER TABLE "order" ADD COLUMN     "customer_account_id" INTEGER;

-- CreateTable
CREATE TABLE "customer_account" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "email_key" TEXT NOT NULL,
    "password_hash" TEXT,
    "addresses" JSONB NOT NULL DEFAULT '[]',
    "confirmed_at" TIMESTAMPTZ(3),
    "link_requested_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempts_since" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_account_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateTable
CREATE TABLE "customer_account_link" (
    "store_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "account_id" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_account_link_pkey" PRIMARY KEY ("store_id","token_hash")
);

-- CreateTable
CREATE TABLE "customer_account_session" (
    "store_id" INTEGER NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "account_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_account_session_pkey" PRIMARY KEY ("store_id","token_hash")
);

-- CreateIndex
CREATE INDEX "customer_account_unconfirmed" ON "customer_account"("created_at") WHERE (confirmed_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "customer_account_store_id_email_key_key" ON "customer_account"("store_id", "email_key");

-- CreateIndex
CREATE INDEX "customer_account_link_of_account" ON "customer_account_link"("store_id", "account_id");

-- CreateIndex
CREATE INDEX "customer_account_link_age" ON "customer_account_link"("expires_at");

-- CreateIndex
CREATE INDEX "customer_account_session_of_account" ON "customer_account_session"("store_id", "account_id", "created_at");

-- CreateIndex
CREATE INDEX "customer_account_session_age" ON "customer_account_session"("expires_at");

-- CreateIndex
CREATE INDEX "order_customer_account" ON "order"("store_id", "customer_account_id", "id") WHERE (customer_account_id IS NOT NULL);

-- AddForeignKey
ALTER TABLE "customer_account" ADD CONSTRAINT "customer_account_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "customer_account_link" ADD CONSTRAINT "customer_account_link_store_id_account_id_fkey" FOREIGN KEY ("store_id", "account_id") REFERENCES "customer_account"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "customer_account_session" ADD CONSTRAINT "customer_account_session_store_id_account_id_fkey" FOREIGN KEY ("store_id", "account_id") REFERENCES "customer_account"("store_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE customer_account ADD CHECK (jsonb_typeof(addresses) = 'array');
ALTER TABLE customer_account ADD CHECK (confirmed_at IS NOT NULL OR password_hash IS NULL);
