-- CreateTable
CREATE TABLE "mail_text" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "opening" TEXT NOT NULL,

    CONSTRAINT "mail_text_pkey" PRIMARY KEY ("store_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_text_store_id_kind_language_key" ON "mail_text"("store_id", "kind", "language");

-- AddForeignKey
ALTER TABLE "mail_text" ADD CONSTRAINT "mail_text_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE mail_text ADD CHECK (kind IN ('ORDER_CONFIRMATION', 'RETURN_REQUESTED', 'RETURN_APPROVED', 'RETURN_DECLINED', 'RETURN_REFUNDED', 'RETURN_EXCHANGED'));

SELECT audit_table('mail_text', '{kind,language}', '{}', '{subject,opening}');
