-- Categories and templates of pages are entities of their own: they have versions and times like all others.
ALTER TABLE page_category
  ADD created_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD updated_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD version    integer NOT NULL DEFAULT 1;
ALTER TABLE page_template
  ADD created_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD updated_at timestamptz(3) NOT NULL DEFAULT now(),
  ADD version    integer NOT NULL DEFAULT 1;
CREATE INDEX page_template_pages ON page (store_id, template_id);
CREATE INDEX page_category_member_position ON page_category_member (store_id, category_id, position);
