import { type Variables, wholeNumber } from '../../runtime/config.ts'

/** Bytes that a setting may name: a petabyte, which a double counts exactly. */
const MAX_BYTES = 1_000_000_000_000_000

/** The largest file that is taken (`DOWNLOAD` in file/file.ts). */
const MAX_FILE_BYTES = 100_000_000

const bytes = wholeNumber(0, MAX_BYTES).refine(
  (value) => value === 0 || value >= MAX_FILE_BYTES,
  `0 or at least ${MAX_FILE_BYTES}, one file`,
)

/**
 * Variables of what one store may have. A shop of 100,000 products with two pictures of 200 kB each
 * is imported in a day.
 */
export const storeQuotaVariables = {
  STORE_PRODUCTS: {
    read: wholeNumber(0, 1_000_000_000),
    default: '1000000',
    unit: 'products',
    meaning: 'Products that one store may have; 0 sets no bound.',
  },
  STORE_PRODUCTS_PER_DAY: {
    read: wholeNumber(0, 1_000_000_000),
    default: '250000',
    unit: 'products per day',
    meaning: 'Products that one store may create in 24 hours, all at once or spread, deleted ones among them; 0 sets no bound.',
  },
  STORE_FILE_BYTES: {
    read: bytes,
    default: '200000000000',
    unit: 'bytes',
    meaning: 'Pictures, attachments and digital goods that one store may keep; 0 sets no bound.',
  },
  STORE_FILE_BYTES_PER_DAY: {
    read: bytes,
    default: '50000000000',
    unit: 'bytes per day',
    meaning: 'The same that one store may add in 24 hours, all at once or spread, deleted ones among them; 0 sets no bound.',
  },
} satisfies Variables
