import { z } from 'zod'
import type { Config, Variables } from '../../../platform/config/config.ts'

const httpUrl = (expectation: string) =>
  z
    .string()
    .refine((text) => {
      if (!URL.canParse(text)) return false
      const { protocol, search, hash, username } = new URL(text)
      return ['http:', 'https:'].includes(protocol) && search === '' && hash === '' && username === ''
    }, expectation)
    .transform((text) => text.replace(/\/+$/, ''))

/** The variables of stored files. */
export const fileVariables = {
  FILES_DIR: {
    read: z.string(),
    default: null,
    unit: null,
    meaning: 'Folder of stored files, used when S3_BUCKET_URL is unset; unset, the folder files in DATA_DIR.',
  },
  S3_BUCKET_URL: {
    read: httpUrl('an http or https URL of a bucket, such as https://shop.s3.eu-west-1.amazonaws.com or https://host/bucket'),
    default: null,
    unit: null,
    meaning: 'Bucket of a service that speaks the protocol of S3, for stored files; unset, they are in FILES_DIR.',
  },
  S3_REGION: {
    read: z.string().regex(/^[a-z0-9-]+$/, 'the name of a region, such as eu-west-1'),
    default: 'us-east-1',
    unit: null,
    meaning: 'Region of the bucket; many services other than Amazon take auto or us-east-1.',
  },
  S3_ACCESS_KEY_ID: {
    read: z.string(),
    default: null,
    unit: null,
    meaning:
      'Access key that may put, get and delete objects in the bucket; required with S3_BUCKET_URL, unless S3_CREDENTIALS_FILE is set.',
  },
  S3_SECRET_ACCESS_KEY: {
    read: z.string(),
    default: null,
    unit: null,
    secret: true,
    meaning: 'Secret of that access key; required with S3_BUCKET_URL, unless S3_CREDENTIALS_FILE is set.',
  },
  S3_CREDENTIALS_FILE: {
    read: z.string(),
    default: null,
    unit: null,
    meaning:
      'File with lines of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, instead of the two variables; read again within a second of a change, without a restart.',
  },
  S3_PUBLIC_URL: {
    read: httpUrl('an http or https URL'),
    default: null,
    unit: null,
    meaning: 'Public URL of the public files of the bucket, such as a CDN in front of it; unset, S3_BUCKET_URL.',
  },
} satisfies Variables

export type FileConfig = Config<typeof fileVariables>
