-- AlterTable
ALTER TABLE "revision" ADD COLUMN     "mark" UUID NOT NULL DEFAULT gen_random_uuid();

-- CreateTable
CREATE TABLE "past_revision" (
    "number" BIGINT NOT NULL,
    "mark" UUID NOT NULL,

    CONSTRAINT "past_revision_pkey" PRIMARY KEY ("number")
);

INSERT INTO past_revision (number, mark) SELECT number, mark FROM revision;

CREATE FUNCTION mark_revision() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.mark := gen_random_uuid();
  INSERT INTO past_revision (number, mark) VALUES (NEW.number, NEW.mark)
  ON CONFLICT (number) DO UPDATE SET mark = excluded.mark;
  DELETE FROM past_revision WHERE number <= NEW.number - 1000 OR number > NEW.number;
  RETURN NEW;
END
$$;

CREATE TRIGGER mark_revision BEFORE UPDATE OF number ON revision FOR EACH ROW EXECUTE FUNCTION mark_revision();
