-- What an order says of where its goods are, its newest fulfillment says as well.
ALTER TABLE fulfillment
  DROP CONSTRAINT fulfillment_shipment_status_check,
  ADD CONSTRAINT fulfillment_shipment_status_check
    CHECK (shipment_status IN ('REQUESTED', 'IN_TRANSIT', 'DELIVERED', 'FAILED', 'PICKUP_AVAILABLE')),
  -- Whether whoever receives it wants to be written to.
  ADD COLUMN send_email boolean NOT NULL DEFAULT true;
CREATE INDEX fulfillment_shipment_status ON fulfillment (store_id, shipment_status, id);
ALTER TABLE fulfillment_history ALTER COLUMN message SET NOT NULL;
