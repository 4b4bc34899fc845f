-- AlterTable
ALTER TABLE "order_refund" ADD COLUMN     "failed_amount" DECIMAL(14,4) NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "payment" ADD COLUMN     "refunds_entered" DECIMAL(14,4) NOT NULL DEFAULT 0,
ADD COLUMN     "refunds_failed" DECIMAL(14,4) NOT NULL DEFAULT 0;

-- Of refunds so far nothing else is known; what is entered back is at most what the order has.
UPDATE payment SET refunds_entered = refunds_booked WHERE refunds_booked > 0;
-- A refund that failed can be made again: what was paid back is bounded, not the sum of attempts.
ALTER TABLE payment DROP CONSTRAINT payment_check1;
ALTER TABLE payment ADD CONSTRAINT payment_check1
  CHECK (captured + voided <= authorized AND refunded - refunds_failed <= captured) NOT VALID;
ALTER TABLE payment ADD CONSTRAINT payment_refunds_failed_check
  CHECK (refunds_failed >= 0 AND refunds_failed <= refunded AND refunds_entered >= 0) NOT VALID;
ALTER TABLE order_refund ADD CONSTRAINT order_refund_failed_amount_check
  CHECK (failed_amount >= 0 AND failed_amount <= amount) NOT VALID;
ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_kind_check;
ALTER TABLE ledger_entry ADD CONSTRAINT ledger_entry_kind_check
  CHECK (kind IN ('PAYMENT', 'REFUND', 'REFUND_FAILURE', 'APP_FEE')) NOT VALID;

SELECT audit_table('order_refund', '{order_id}', '{amount,to_gift_cards,failed_amount,restocked}', '{reason}');
SELECT audit_table('payment', '{order_id}', '{status,amount,captured,voided,refunded,refunds_failed}', '{}');
