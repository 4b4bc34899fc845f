-- CreateTable
CREATE TABLE "search_synonym" (
    "store_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "terms" TEXT[],
    "targets" TEXT[],
    "term_keys" TEXT[],
    "target_keys" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "search_synonym_pkey" PRIMARY KEY ("store_id","id")
);

-- AddForeignKey
ALTER TABLE "search_synonym" ADD CONSTRAINT "search_synonym_store_id_fkey" FOREIGN KEY ("store_id") REFERENCES "store"("id") ON DELETE CASCADE ON UPDATE NO ACTION;

ALTER TABLE search_synonym ALTER COLUMN terms SET NOT NULL;
ALTER TABLE search_synonym ALTER COLUMN targets SET NOT NULL;
ALTER TABLE search_synonym ALTER COLUMN term_keys SET NOT NULL;
ALTER TABLE search_synonym ALTER COLUMN target_keys SET NOT NULL;
ALTER TABLE search_synonym ADD CHECK (cardinality(terms) BETWEEN 1 AND 10 AND cardinality(targets) <= 10);
ALTER TABLE search_synonym ADD CHECK (cardinality(term_keys) = cardinality(terms) AND cardinality(target_keys) = cardinality(targets));

SELECT audit_table('search_synonym', '{}', '{terms,targets}', '{}');
