/**
 * Which letters, marks and digits belong to which script, for names on the internet: Unicode 15.0
 * `Scripts.txt`, reduced to the scripts that UAX #31 recommends for identifiers, to what IDNA
 * allows, and without blocks that no living spelling needs (phonetic, archaic, presentation forms).
 * A character outside of ASCII that is not here has no business in a name. Written down here,
 * because the tables inside Node change with Node and a decision must come out the same tomorrow.
 * Hexadecimal code points; `Kana` stands for marks that Hiragana and Katakana share. © Unicode,
 * Inc., under the Unicode License (https://www.unicode.org/license.txt).
 */
export const SCRIPTS: Readonly<Record<string, string>> = {
  Arabic:
    '610-61a 620-63f 641-64a 656-669 66e-66f 671-674 679-6d3 6d5-6dc 6df-6e8 6ea-6fc 6ff 750-77f 870-887 889-88e 898-8e1 ' +
    '8e3-8ff fe73',
  Armenian: '559 560-586 588',
  Bengali: '980-983 985-98c 98f-990 993-9a8 9aa-9b0 9b2 9b6-9b9 9bc-9c4 9c7-9c8 9cb-9ce 9d7 9e0-9e3 9e6-9f1 9fc 9fe',
  Bopomofo: '3105-312f 31a0-31bf',
  Cyrillic:
    '430-45f 461 463 465 467 469 46b 46d 46f 471 473 475 477 479 47b 47d 47f 481 483-484 487-489 48b 48d 48f 491 493 495 ' +
    '497 499 49b 49d 49f 4a1 4a3 4a5 4a7 4a9 4ab 4ad 4af 4b1 4b3 4b5 4b7 4b9 4bb 4bd 4bf 4c2 4c4 4c6 4c8 4ca 4cc 4ce-4cf ' +
    '4d1 4d3 4d5 4d7 4d9 4db 4dd 4df 4e1 4e3 4e5 4e7 4e9 4eb 4ed 4ef 4f1 4f3 4f5 4f7 4f9 4fb 4fd 4ff 501 503 505 507 509 ' +
    '50b 50d 50f 511 513 515 517 519 51b 51d 51f 521 523 525 527 529 52b 52d 52f fe2e-fe2f',
  Devanagari: '900-950 955-957 960-963 966-96f 971-97f a8e0-a8f7 a8fb a8fd-a8ff',
  Ethiopic:
    '1200-1248 124a-124d 1250-1256 1258 125a-125d 1260-1288 128a-128d 1290-12b0 12b2-12b5 12b8-12be 12c0 12c2-12c5 ' +
    '12c8-12d6 12d8-1310 1312-1315 1318-135a 135d-135f 1380-138f 2d80-2d96 2da0-2da6 2da8-2dae 2db0-2db6 2db8-2dbe ' +
    '2dc0-2dc6 2dc8-2dce 2dd0-2dd6 2dd8-2dde ab01-ab06 ab09-ab0e ab11-ab16 ab20-ab26 ab28-ab2e',
  Georgian: '10d0-10fa 10fd-10ff 2d00-2d25 2d27 2d2d',
  Greek: '37b-37d 390 3ac-3ce',
  Gujarati: 'a81-a83 a85-a8d a8f-a91 a93-aa8 aaa-ab0 ab2-ab3 ab5-ab9 abc-ac5 ac7-ac9 acb-acd ad0 ae0-ae3 ae6-aef af9-aff',
  Gurmukhi: 'a01-a03 a05-a0a a0f-a10 a13-a28 a2a-a30 a32 a35 a38-a39 a3c a3e-a42 a47-a48 a4b-a4d a51 a5c a66-a75',
  Han:
    '3005 3007 303b 3400-4dbf 4e00-9fff fa0e-fa0f fa11 fa13-fa14 fa1f fa21 fa23-fa24 fa27-fa29 20000-2a6df 2a700-2b739 ' +
    '2b740-2b81d 2b820-2cea1 2ceb0-2ebe0 30000-3134a 31350-323af',
  Hangul: '302e-302f ac00-d7a3',
  Hebrew: '591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 5d0-5ea 5ef-5f2 fb1e',
  Hiragana: '3041-3096 309d-309e',
  Inherited: '300-337',
  Kana: '30fb-30fc',
  Kannada: 'c80-c83 c85-c8c c8e-c90 c92-ca8 caa-cb3 cb5-cb9 cbc-cc4 cc6-cc8 cca-ccd cd5-cd6 cdd-cde ce0-ce3 ce6-cef cf1-cf3',
  Katakana: '30a1-30fa 30fd-30fe 31f0-31ff',
  Khmer: '1780-17b3 17b6-17d3 17d7 17dc-17dd 17e0-17e9',
  Lao: 'e81-e82 e84 e86-e8a e8c-ea3 ea5 ea7-eb2 eb4-ebd ec0-ec4 ec6 ec8-ece ed0-ed9 ede-edf',
  Latin:
    'df-f6 f8-ff 101 103 105 107 109 10b 10d 10f 111 113 115 117 119 11b 11d 11f 121 123 125 127 129 12b 12d 12f 131 135 ' +
    '137 13a 13c 13e 142 144 146 148 14b 14d 14f 151 153 155 157 159 15b 15d 15f 161 163 165 167 169 16b 16d 16f 171 173 ' +
    '175 177 17a 17c 17e 1c0-1c3 1dd 1df 1e1 1e3 1e5 1e7 1e9 1eb 1ed 1ef-1f0 1f5 1f9 1fb 1fd 1ff 201 203 205 207 209 20b ' +
    '20d 20f 211 213 215 217 219 21b 21d 21f 223 225 227 229 22b 22d 22f 231 233 259 1ea1 1ea3 1ea5 1ea7 1ea9 1eab 1ead ' +
    '1eaf 1eb1 1eb3 1eb5 1eb7 1eb9 1ebb 1ebd 1ebf 1ec1 1ec3 1ec5 1ec7 1ec9 1ecb 1ecd 1ecf 1ed1 1ed3 1ed5 1ed7 1ed9 1edb ' +
    '1edd 1edf 1ee1 1ee3 1ee5 1ee7 1ee9 1eeb 1eed 1eef 1ef1 1ef3 1ef5 1ef7 1ef9 214e 2184',
  Malayalam: 'd00-d0c d0e-d10 d12-d44 d46-d48 d4a-d4e d54-d57 d5f-d63 d66-d6f d7a-d7f',
  Myanmar: '1000-1049 1050-109d a9e0-a9fe aa60-aa76 aa7a-aa7f',
  Oriya: 'b01-b03 b05-b0c b0f-b10 b13-b28 b2a-b30 b32-b33 b35-b39 b3c-b44 b47-b48 b4b-b4d b55-b57 b5f-b63 b66-b6f b71',
  Sinhala: 'd81-d83 d85-d96 d9a-db1 db3-dbb dbd dc0-dc6 dca dcf-dd4 dd6 dd8-ddf de6-def df2-df3',
  Tamil: 'b82-b83 b85-b8a b8e-b90 b92-b95 b99-b9a b9c b9e-b9f ba3-ba4 ba8-baa bae-bb9 bbe-bc2 bc6-bc8 bca-bcd bd0 bd7 be6-bef',
  Telugu: 'c00-c0c c0e-c10 c12-c28 c2a-c39 c3c-c44 c46-c48 c4a-c4d c55-c56 c58-c5a c5d c60-c63 c66-c6f',
  Thaana: '780-7b1',
  Thai: 'e01-e32 e34-e3a e40-e4e e50-e59',
  Tibetan:
    'f00 f18-f19 f20-f29 f35 f37 f39 f3e-f42 f44-f47 f49-f4c f4e-f51 f53-f56 f58-f5b f5d-f68 f6a-f6c f71-f72 f74 f7a-f80 ' +
    'f82-f84 f86-f92 f94-f97 f99-f9c f9e-fa1 fa3-fa6 fa8-fab fad-fb8 fba-fbc fc6',
}
