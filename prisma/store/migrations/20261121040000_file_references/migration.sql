-- Who refers to a file: asked for every file that is deleted, by the foreign keys and by subgraphs/store/file/repository.ts.
CREATE INDEX product_image_file ON product_image (store_id, file_id);
CREATE INDEX product_attachment_file ON product_attachment (store_id, file_id);
CREATE INDEX digital_asset_file ON digital_asset (store_id, file_id) WHERE file_id IS NOT NULL;
CREATE INDEX fulfillment_label_file ON fulfillment (store_id, label_file_id) WHERE label_file_id IS NOT NULL;
CREATE INDEX page_image_file ON page_image (store_id, file_id);
CREATE INDEX file_created ON file (created_at);

-- Deleting a select option or a custom field asks for its values.
CREATE INDEX product_custom_field_value_field ON product_custom_field_value (store_id, custom_field_id, select_option_id);
