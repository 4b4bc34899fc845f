-- Discounts of lines were stored as they were given, with up to four decimal places, beside totals in whole minor units. Now lines add up to the
-- order: subtotal + tax - discount = total.
-- Lines without totals are older than these.
UPDATE order_line SET discount = subtotal + tax - total
WHERE subtotal > 0 AND discount <> subtotal + tax - total AND abs(subtotal + tax - total - discount) < 1;
