/** The columns of Shopify's order CSV, in its order. */
export const ORDER_CSV_COLUMNS = [
  ...['Name', 'Email', 'Financial Status', 'Paid at', 'Fulfillment Status', 'Fulfilled at', 'Accepts Marketing', 'Currency'],
  ...['Subtotal', 'Shipping', 'Taxes', 'Total', 'Discount Code', 'Discount Amount', 'Shipping Method', 'Created at'],
  ...['Lineitem quantity', 'Lineitem name', 'Lineitem price', 'Lineitem compare at price', 'Lineitem sku'],
  ...['Lineitem requires shipping', 'Lineitem taxable', 'Lineitem fulfillment status'],
  ...['Billing Name', 'Billing Street', 'Billing Address1', 'Billing Address2', 'Billing Company', 'Billing City'],
  ...['Billing Zip', 'Billing Province', 'Billing Country', 'Billing Phone'],
  ...['Shipping Name', 'Shipping Street', 'Shipping Address1', 'Shipping Address2', 'Shipping Company', 'Shipping City'],
  ...['Shipping Zip', 'Shipping Province', 'Shipping Country', 'Shipping Phone'],
  ...['Notes', 'Note Attributes', 'Cancelled at', 'Payment Method', 'Payment Reference', 'Refunded Amount', 'Vendor'],
  ...['Outstanding Balance', 'Employee', 'Location', 'Device ID', 'Id', 'Tags', 'Risk Level', 'Source', 'Lineitem discount'],
] as const
export type OrderColumn = (typeof ORDER_CSV_COLUMNS)[number]
