type Meaning = {
  /** What happened, in one sentence. */
  readonly meaning: string
  /** What the caller does next. */
  readonly remedy: string
}

/** Codes of errors in `extensions.code` and in the bodies of REST. */
export const ERROR_MEANINGS: Readonly<Record<string, Meaning>> = {
  BAD_REQUEST: { meaning: 'The HTTP request is malformed. 400.', remedy: 'Correct what the message names: body, URL or header.' },
  BAD_USER_INPUT: {
    meaning: 'A variable or argument has a value that is not permitted.',
    remedy: 'The message names it and the expectation.',
  },
  COST_LIMIT_EXCEEDED: {
    meaning: 'The operation costs more than `COST_LIMIT`; `cost` and `limit` say how much.',
    remedy: 'Request shorter pages or fewer fields.',
  },
  DEPTH_LIMIT_EXCEEDED: {
    meaning: 'The operation is nested deeper than `DEPTH_LIMIT`.',
    remedy: 'Nest less, or split the operation.',
  },
  DOWNSTREAM_SERVICE_ERROR: { meaning: 'A subgraph reported an error without a code.', remedy: 'Read the log of that subgraph.' },
  EXPECTATION_FAILED: { meaning: 'The header `Expect` is not supported. 417.', remedy: 'Leave the header out.' },
  FORBIDDEN: {
    meaning: 'The caller is known and lacks the permission; `scopes` says which one would do.',
    remedy: 'Request that scope, or use another account.',
  },
  GRAPHQL_PARSE_FAILED: { meaning: 'The document is not GraphQL.', remedy: 'Correct the syntax at `locations`.' },
  GRAPHQL_VALIDATION_FAILED: {
    meaning: 'The document does not fit the schema.',
    remedy: 'Correct the field, argument or type in the message.',
  },
  HEADERS_TOO_LARGE: {
    meaning: 'The headers are longer than Node accepts. 431.',
    remedy: 'Send fewer or shorter headers and cookies.',
  },
  HOOK_FAILED: {
    meaning: 'A hook or coprocessor of the gateway failed, at `stage`.',
    remedy: 'Operator: read the log by request id.',
  },
  INTERNAL_SERVER_ERROR: {
    meaning: 'A fault of the server. 500.',
    remedy: 'Report it with the request id; the log has the cause.',
  },
  INTROSPECTION_DISABLED: {
    meaning: '`INTROSPECTION=0` hides the schema.',
    remedy: 'Use a document of `PERSISTED_MANIFEST`, or ask the operator.',
  },
  INVALID_JSON: { meaning: 'The body is not a JSON object. 400.', remedy: 'Send JSON with `content-type: application/json`.' },
  INVALID_PARAMETER: {
    meaning: 'A parameter of the URL is not permitted; `parameters` lists each. 400.',
    remedy: 'Correct all of them at once.',
  },
  INVALID_SUBGRAPH_ANSWER: {
    meaning: 'A subgraph answered something that the schema does not allow.',
    remedy: 'Operator: correct the subgraph.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The idempotency key belongs to a job with other targets. 409 in the trust API.',
    remedy: 'Use another key for another request; send the same body to get the first job.',
  },
  JOB_LIMIT_REACHED: {
    meaning:
      'The key has as many running jobs as allowed, sent as many targets in a day, or has fewer scans left than the job has valid targets. 429 in the trust API.',
    remedy: 'Wait for a job to end, cancel one, or send fewer targets; the message has the limit.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The address exists, with another method. 405.',
    remedy: 'Use a method of the header `Allow`; mutations need POST.',
  },
  NOT_ACCEPTABLE: { meaning: '`Accept` allows no media type of the answer. 406.', remedy: 'Accept `application/json`.' },
  NOT_FOUND: {
    meaning: 'No such object or address, or none that the caller may see. 404.',
    remedy: 'Check the id and the credentials.',
  },
  OPERATION_RESOLUTION_FAILURE: {
    meaning: 'The document has no operation of that name, or several and none is named.',
    remedy: 'Send `operationName`.',
  },
  OPERATION_TOO_LARGE: {
    meaning: 'The document has too many tokens, fields, aliases, fragments or root fields.',
    remedy: 'Split the operation; see [limits](limits.md).',
  },
  PAGE_SIZE_OUT_OF_RANGE: {
    meaning: 'A page size is negative or above 1,000.',
    remedy: 'Request 0 to 1,000, and page with `after`.',
  },
  PAYLOAD_TOO_LARGE: { meaning: 'The body is too long. 413.', remedy: 'Send less; the message has the limit.' },
  PERSISTED_DOCUMENT_NOT_FOUND: {
    meaning: 'No document of `PERSISTED_MANIFEST` has that id.',
    remedy: 'Deploy the manifest of this client.',
  },
  PERSISTED_QUERY_HASH_MISMATCH: { meaning: 'The hash is not that of the text.', remedy: 'Send the SHA-256 of the exact text.' },
  PERSISTED_QUERY_NOT_FOUND: {
    meaning: 'The server does not know the hash yet.',
    remedy: "Send text and hash once; Apollo's clients do.",
  },
  PERSISTED_QUERY_ONLY: {
    meaning: '`PERSISTED_ONLY=1` refuses documents that are not in the manifest.',
    remedy: 'Send a `documentId` of the manifest.',
  },
  PERSISTED_QUERY_VERSION_NOT_SUPPORTED: {
    meaning: 'The persisted query has another version than 1.',
    remedy: 'Send `version: 1`.',
  },
  QUOTA_EXCEEDED: {
    meaning: 'The scans of the month are used up. 429 in the trust API.',
    remedy: 'Wait for the next month in UTC, or use another plan.',
  },
  RATE_LIMITED: {
    meaning: 'Too many requests, guesses or points in a time. 429.',
    remedy: 'Wait `retryAfterSeconds`, which is also `Retry-After`.',
  },
  REQUEST_TIMEOUT: { meaning: 'The request did not arrive in time. 408.', remedy: 'Send it again, faster.' },
  SLOW_READER: {
    meaning: 'A subscriber did not read its events fast enough.',
    remedy: 'Subscribe again, and query what was missed.',
  },
  STREAM_NOT_SUPPORTED: { meaning: '`@stream` is not supported.', remedy: 'Use `@defer`, or pages.' },
  SUBGRAPH_COST_LIMIT_EXCEEDED: {
    meaning: 'The operation costs one subgraph more than its limit.',
    remedy: 'Request less of `subgraph`.',
  },
  SUBGRAPH_UNAVAILABLE: {
    meaning: 'A subgraph did not answer; its fields are null.',
    remedy: 'Try again; operators read the [runbook](../operations/runbooks.md#atriumsubgraphcircuitopen).',
  },
  SUBSCRIPTIONS_NOT_SUPPORTED: {
    meaning: 'This gateway or transport serves no subscriptions.',
    remedy: 'Use WebSocket or server-sent events of a gateway that does.',
  },
  TIMEOUT: {
    meaning: 'The operation took longer than 10 seconds, or a fetch longer than its limit.',
    remedy: 'Request less, or try again later.',
  },
  TOO_MANY_OPERATIONS: {
    meaning: 'One WebSocket has 100 operations at once.',
    remedy: 'Complete some, or open another WebSocket.',
  },
  TOO_MANY_SUBSCRIPTIONS: {
    meaning: 'A bound of subscriptions is reached; `bound` says which.',
    remedy: 'Wait `retryAfterSeconds`, or end some.',
  },
  UNAUTHENTICATED: {
    meaning: 'No credentials, or invalid or expired ones. 401.',
    remedy: 'Sign in again, or refresh the token.',
  },
  UNAUTHORIZED_FIELD_OR_TYPE: {
    meaning: 'The credentials do not allow a field; it is null. `requiredScopes` says what would.',
    remedy: 'Request these scopes, or leave the field out.',
  },
  UNAVAILABLE: {
    meaning: 'The process is overloaded or stopping; nothing was run. 503.',
    remedy: 'Send the same again after `Retry-After`, mutations too.',
  },
  UNRESOLVABLE_OPERATION: {
    meaning: 'No plan of the supergraph can answer this operation.',
    remedy: 'Operator: correct the supergraph.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The content type or content coding is not taken. 415.',
    remedy: 'Send `application/json`, uncompressed.',
  },
  UPLOAD_CONFLICT: {
    meaning: 'Two fetches need one file, files come in an order that cannot be used, or the fetch of a file has ended. 400.',
    remedy: 'Send each file for one variable, in the order of the mutations.',
  },
  UPLOAD_MALFORMED: {
    meaning: 'The multipart request does not follow its specification, or is cut short. 400.',
    remedy: 'Send `operations`, `map`, then a file for each null that `map` names.',
  },
  UPLOAD_NOT_SUPPORTED: { meaning: 'This gateway or subgraph takes no files.', remedy: 'Operator: set `UPLOAD_MAX_FILE_BYTES`.' },
  UPLOAD_TOO_LARGE: {
    meaning: 'A file, or their number, is over a limit. 413.',
    remedy: 'Send less; the message has the limit.',
  },
  URI_TOO_LONG: { meaning: 'The URL is too long. 414.', remedy: 'Send the operation by POST or by its hash.' },
  VALIDATION_FAILED: {
    meaning: 'Fields of the body are wrong; `errors` lists each with its pointer. 422.',
    remedy: 'Correct all of them at once.',
  },
}
