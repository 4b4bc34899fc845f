/** Text that no parser takes as a URL, or that has no scheme; each has secrets. */
export const UNPARSABLE = [
  'http://user:secret@exa mple.com/secret?token=secret#secret',
  'https://user:secret@/secret',
  'http://user:secret@[::1/secret',
  'http://h.com:99999/secret?secret',
  'HTTPS:\\\\user:secret@H COM\\secret',
  'h.com/secret?token=secret',
  'h.com:8080/secret#secret',
  '[::1]:80/secret',
  '2001:db8::1/secret',
  'user:secret@h.com/secret',
  '12:secret@h.com/secret',
  'ftp://user:secret@h.com/secret',
  'data:text/html,secret',
  '//user:secret@h.com/secret',
  ' \thttp://user:secret@exa mple.com/secret\r\n',
  `http://user:secret@exa mple.com/${'secret'.repeat(500)}`,
]

/** Text that is refused for a character, before anything of it is sent. */
export const REFUSED = [
  '\ufeffhttps://h.com/secret',
  '\u00a0https://h.com/secret',
  'https://h.com/secret\u3000',
  'https://h.com/se\ncret',
  'https://h.com/se\u0000cret',
  'ht\ttps://h.com/secret',
  'h.com\r\nx-secret: 1',
  ' \u0085h.com/secret',
  '\u2028',
]
