-- Whether the key of a payment method moves no money: known without decrypting it.
ALTER TABLE "payment_method" ADD COLUMN "test_mode" BOOLEAN;
