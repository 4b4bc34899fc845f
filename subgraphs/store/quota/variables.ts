import { type Variables, wholeNumber } from '../../../platform/config/config.ts'

/** The largest accepted file (`DOWNLOAD` in file/file.ts), in megabytes. */
const MAX_FILE_MEGABYTES = 100

const megabytes = wholeNumber(0, 999_999_999).refine(
  (value) => value === 0 || value >= MAX_FILE_MEGABYTES,
  `0 or at least ${MAX_FILE_MEGABYTES}, one file`,
)

/**
 * Variables of what one store may have. A shop of 100,000 products with two pictures of 200 kB each
 * is imported in a day.
 */
export const storeQuotaVariables = {
  STORE_PRODUCTS: {
    read: wholeNumber(0, 999_999_999),
    default: '1000000',
    unit: 'products',
    meaning: 'Products that one store may have; 0 sets no bound.',
  },
  STORE_PRODUCTS_PER_DAY: {
    read: wholeNumber(0, 999_999_999),
    default: '250000',
    unit: 'products per day',
    meaning: 'Products that one store may create in 24 hours, all at once or spread, deleted ones among them; 0 sets no bound.',
  },
  STORE_FILE_MEGABYTES: {
    read: megabytes,
    default: '200000',
    unit: 'megabytes',
    meaning: 'Pictures, attachments and digital goods that one store may keep; 0 sets no bound.',
  },
  STORE_FILE_MEGABYTES_PER_DAY: {
    read: megabytes,
    default: '50000',
    unit: 'megabytes per day',
    meaning: 'The same that one store may add in 24 hours, all at once or spread, deleted ones among them; 0 sets no bound.',
  },
} satisfies Variables
