/** Texts that some driver, character set or database setting is known to alter, by description. */
export const texts: Record<string, string> = {
  'letters and digits': 'Ada Lovelace 1815',
  'quotes, backslashes and wildcards': `' " \` \\ \\' \\" \\\\' % _ ? :a $1`,
  comments: 'x -- y # z /* w */ ;',
  'signs that national variants of ASCII replace': '@[\\]^`{|}~$#',
  'control characters': '\0\b\t\n\r\x1a\x7f',
  'letters of Western Europe': 'áéíóúñß ÿ £€',
  'characters whose low byte is a quote or a backslash': '\u0122\u0127\u015c\u2027\u305c',
  'characters whose last byte is a backslash in Big5, GBK or Shift_JIS': '\u8aa0\u2010\u011a\u042b\u8868\u529f\uff3c',
  'a yen sign, which Shift_JIS and EUC-JP have in place of a backslash': '\u00a5',
  'Greek, Cyrillic, Hebrew, Arabic, Thai': 'Ωλ Яы שלום سلام ไทย',
  'Chinese, Japanese, Korean': '誠 汉字 かなカナ 한국어',
  'characters beyond the basic plane': '😀👩‍👧𝒳',
  'one letter, composed and decomposed': 'é e\u0301',
  'line and paragraph separators': 'a\u2028b\u2029c',
  'C1 control characters': '\x80\x85\x9f',
  'a replacement character': 'a\ufffdb',
}
