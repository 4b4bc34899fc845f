import { type Variables, wholeNumber } from '../../platform/config/config.ts'

/** Settings of file uploads of a gateway by itself; bounds are those of the option `uploads`. */
export const uploadVariables = {
  UPLOAD_MAX_FILE_BYTES: {
    read: wholeNumber(0, 10_000_000_000),
    default: '0',
    unit: 'bytes',
    meaning: 'Highest bytes of a file that a client may upload by the GraphQL multipart request specification; 0 takes no files.',
  },
  UPLOAD_MAX_FILES: {
    read: wholeNumber(1, 100),
    default: '10',
    unit: 'files',
    meaning: 'Most files of one request.',
  },
  UPLOAD_TIMEOUT_SECONDS: {
    read: wholeNumber(1, 3_600),
    default: '60',
    unit: 'seconds',
    meaning: 'How long a request with files may take, with its answer.',
  },
  UPLOAD_MAX_CONCURRENCY: {
    read: wholeNumber(1, 1_000),
    default: '20',
    unit: 'requests',
    meaning: 'Requests with files that run at once; more are answered with 503.',
  },
} as const satisfies Variables
