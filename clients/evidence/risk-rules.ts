/** What a text may try to do to a model that reads it. */
export const RISK_CATEGORIES = [
  'instructions',
  'role_markup',
  'tool_syntax',
  'exfiltration_url',
  'homoglyphs',
  'encoded_payload',
  'hidden_text',
] as const
export type RiskCategory = (typeof RISK_CATEGORIES)[number]

/** A pattern and how much it says. */
export type RiskRule = {
  readonly name: string
  readonly category: RiskCategory
  /** 0 to 1: how likely a text with it is an attack. Weights of several rules add up as chances do. */
  readonly weight: number
  /**
   * Global. Gaps are bounded, so that time grows linearly with the text. Rules of instructions read
   * folded text (`foldedText`), in which white space is one space; others the text as it was sent.
   */
  readonly pattern: RegExp
}

/** Orders to whoever reads, in English. Names and phrases in other languages: risk-languages.ts. */
export const ENGLISH_RULES: readonly RiskRule[] = [
  {
    name: 'ignore-instructions',
    category: 'instructions',
    weight: 0.75,
    // "All", "any" or "your" tells it from recipes, which ignore the instructions on a packet.
    pattern:
      /(?<!\b(?:not|never|cannot|n['’]t|to) )\b(?:ignore|disregard|forget|override|bypass|discard|abandon|drop|erase|(?:set|put|leave) aside|pay no (?:attention|heed) to|stop (?:following|obeying)|do(?: not|n['’]t) (?:follow|obey|heed))\s(?:(?:the|these|those|of|previous|prior|earlier|above|preceding|past|former|original|initial|existing|current|other|system|and)\s){0,3}(?:all|any|every|each|your|whatever)\b(?:\s(?:the|your|my|these|those|of|previous|prior|earlier|above|preceding|past|former|original|initial|existing|current|other|system|hidden|safety|given|and)){0,4}\s(?:instruction|prompt|guideline|guidance|guardrail|rule|directive|direction|order|command|constraint|restriction|programming|polic(?:y|ies)|safeguard)s?\b/gi,
  },
  {
    name: 'ignore-earlier-instructions',
    category: 'instructions',
    weight: 0.4,
    pattern:
      /(?<!\b(?:not|never|cannot|n['’]t|to) )\b(?:ignore|disregard|forget|override|bypass|discard|abandon|(?:set|put) aside|pay no (?:attention|heed) to|do(?: not|n['’]t) (?:follow|obey))\s(?:the\s)?(?:previous|prior|preceding|above|system|original|initial|hidden)\s(?:system\s)?(?:instruction|prompt|guideline|guidance|guardrail|directive|direction|command|constraint|restriction|order)s?\b/gi,
  },
  {
    name: 'ignore-what-you-know',
    category: 'instructions',
    weight: 0.6,
    pattern:
      /\b(?:ignore|disregard|forget|discard)\s(?:(?:everything|anything|whatever|all|what)\s(?:that\s)?(?:(?:you|has|was|were|have|been|is)\s){0,3}(?:told|instructed|said|asked|above|before|prior|written|given)\b|(?:the\s)?(?:user|question|request|task)s?\s?(?:of the user|you were given|['’]s (?:request|question|task))?(?=[.,;!]| and))/gi,
  },
  {
    name: 'instructions-replaced',
    category: 'instructions',
    weight: 0.55,
    pattern:
      /\b(?:(?:your|all|any|the) )?(?:previous|prior|earlier|above|preceding|original|old|former|developer['’]?s?) (?:instruction|prompt|guideline|directive|rule|order|command|direction)s? (?:of [a-z ]{1,20} )?(?:are|is|were|was|have been|has been) (?:now )?(?:void|replaced|cancell?ed|outdated|superseded|obsolete|revoked|invalid|suspended|over|lifted|a test|no longer)/gi,
  },
  {
    name: 'new-task',
    category: 'instructions',
    weight: 0.55,
    pattern:
      /\byour (?:new|real|actual|true|only|updated|sole) (?:task|instruction|job|goal|objective|mission|role|purpose|directive|order)s?\b|\b(?:new|updated|additional|real|further) (?:system )?(?:instruction|directive|task|rule)s?(?: for you)?(?=\s?:)|\b(?:follow|obey) (?:these|the following|the text|the instructions?|this page|what follows)(?: on this page)?(?: instead| only)\b|\bfollow these instead\b/gi,
  },
  {
    name: 'keep-from-user',
    category: 'instructions',
    weight: 0.6,
    pattern:
      /\b(?:(?:do not|don['’]t|never|must not) (?:ever )?(?:tell|inform|notify|alert|warn|ask|show|let|mention (?:this |it |that )?to|reveal (?:this |it |that )?to)|without (?:ever )?(?:telling|informing|notifying|alerting|asking|warning|(?:the )?(?:confirmation|consent|approval|knowledge) (?:of|from))) (?:to )?(?:the |your |any |this )?(?:user|human|reader|visitor|operator|owner)s?\b/gi,
  },
  {
    name: 'reveal-secrets',
    category: 'instructions',
    weight: 0.6,
    pattern:
      /(?<!\b(?:not|never|n['’]t|to|can|will) )\b(?:reveal|print|show|repeat|output|display|leak|share|disclose|dump|return|write out|expose|send|post|list|include|collect|give (?:me|us))\b(?: (?:me|us|out|back|all|of|the|your|its|entire|full|whole|complete|exact|hidden|secret|initial|original|stored|saved|current|any|contents?|text|and)){0,6} (?:system prompt|(?:hidden|secret|initial|original|system|internal) instructions|instructions (?:to|verbatim|word)|(?<=\b(?:your|the|all|its|me|us|of|stored|saved) )(?:instructions|context window|environment variables|api keys?|secret keys?|session tokens?|credentials|passwords?|(?:chat|conversation|message) (?:history|log|so far)|conversation(?= (?:to|so far))|memory|ssh keys?))\b/gi,
  },
  {
    name: 'repeat-above',
    category: 'instructions',
    weight: 0.55,
    pattern:
      /\b(?:repeat|print|copy|output) (?:all |everything |the )?(?:of the )?(?:text|words|content|message|lines?)?\s?(?:above|before this|verbatim)\b/gi,
  },
  {
    name: 'persona',
    category: 'instructions',
    weight: 0.6,
    pattern:
      /\b(?:enter|enable|activate|switch to|you are (?:now )?in) (?:the )?(?:developer|debug|maintenance|god|admin(?:istrator)?|jailbreak|unrestricted|DAN|root|test) mode\b|\b(?:you are|act as|behave as|become|pretend to be|simulate)(?: now)? (?:an? |the )?(?:[a-z]{1,30} ){0,2}(?:unrestricted|unfiltered|uncensored|jailbroken|DAN\b|evil|linux terminal|terminal\b)|\b(?:pretend|imagine|act as if|behave as if) (?:that )?you (?:have|had) no (?:restriction|rule|limit|guideline|filter)s?|\b(?:polic(?:y|ies)|restrictions?|rules|guidelines|filters|safety checks?) (?:no longer|do not|don['’]t) apply to you\b/gi,
  },
  {
    name: 'from-now-on',
    category: 'instructions',
    weight: 0.35,
    pattern:
      /\bfrom (?:now|this point|here) on,? (?:you (?:will|must|shall|should|are|have to)|only|respond|reply|answer|act|speak|do not|never|always)\b|\byou will now (?:act|behave|respond|follow|answer|be)\b/gi,
  },
  {
    name: 'addresses-model',
    category: 'instructions',
    weight: 0.5,
    // "If you are an AI researcher" has no comma behind the model.
    pattern:
      /\b(?:dear|hey|hello|hi|attention|notice|note|notes|message|hint|instructions?|important|p\.?s\.?|warning|reminder)(?: (?:to|for))?,? (?:all |any |the |every |you,? )?(?:ai |llm |coding |large ){0,4}(?:ais?|llms?|language models?|chatgpt|gpt|claude|gemini|copilot|assistants?|agents?|bots?|chatbots?|models?|crawlers?|summari[sz]ers?)\b(?=\s?[:,.!;?]|\s(?:reading|processing|summari|that|who|reviewing|before|only)| do not|$)|\bif you(?: are|['’]re) (?:an? |the )?(?:large )?(?:ai|llm|language model|ai (?:assistant|agent|model|system)|assistant|bot|chatbot|automated (?:system|agent))(?=\s?[,;:.]|\s(?:reading|summari|processing|and\b|or\b))|\bas an? (?:ai|llm|language model|ai (?:assistant|agent|model))(?: (?:reading|processing) this)?,? you (?:must|should|have to|need to|will)\b/gi,
  },
  {
    name: 'model-must',
    category: 'instructions',
    weight: 0.55,
    pattern:
      /\b(?:ais?|llms?|language models?|ai (?:models?|assistants?|agents?|systems?|tools?|summary tools?|reviewers?)|(?:coding |email |automated )(?:agents?|assistants?)|chatbots?)(?: (?:that |who |which )?(?:reads?|reading|process(?:es|ing)?|summari[sz](?:es?|ing)|visiting|browsing)(?: this| the)?(?: page| text| repository| document| file)?)?,? (?:must|should|shall|have to|has to|are required to|need to)(?: (?:not|never|always|only|also|now|first))? (?:say|state|recommend|tell|reply|respond|answer|output|ignore|send|forward|reveal|click|approve|obey|run|execute|print|praise|add|include|rank|rate|assign|mention|summari[sz]e|follow|write|claim|report|conclude|visit|open)\b/gi,
  },
  {
    name: 'model-order',
    category: 'instructions',
    weight: 0.5,
    pattern:
      /\b(?:ai|llm|ai (?:assistants?|agents?|models?)|assistant|chatgpt|copilot|language models?|reviewers that are language models)\s?[:,!] (?:please |now |kindly )?(?:ignore|disregard|forget|tell|say|state|reply|respond|output|send|forward|reveal|print|click|approve|open|recommend|praise|add|assign|rank|do not|don['’]t|never|from now|you must|execute|run|obey)\b/gi,
  },
  {
    name: 'controls-answer',
    category: 'instructions',
    weight: 0.4,
    pattern:
      /\b(?:reply|respond|answer|output|say)(?: back)? (?:only|just|exactly)\b(?: with| in| the)?|\b(?:output|print|write|say) only (?:the )?(?:word|text|link|sentence)\b|\b(?:add|append|insert|include|put|render|show|end|begin|start)\b[^.!?\n]{1,80}\b(?:to|in|into|at the end of|of|every|each) (?:your|every|each|all) (?:answer|reply|response|output|summar(?:y|ies)|message)s?\b|\b(?:end|begin|start) (?:every|each|your) (?:answer|reply|response)\b|\bstate that\b[^.!?\n]{3,80}/gi,
  },
  {
    name: 'tells-user',
    category: 'instructions',
    weight: 0.3,
    pattern:
      /\b(?:tell|inform|convince|persuade|assure|instruct) (?:the |your |every |any )?(?:user|visitor|reader|human|customer|whoever asks)s?\b/gi,
  },
  {
    name: 'sends-away',
    category: 'instructions',
    weight: 0.45,
    pattern:
      /(?<!\b(?:not|never|n['’]t|to|can|will) )\b(?:send|forward|post|upload|email|e-mail|exfiltrate|transmit|copy|submit)\b[^.!?\n]{0,40}\b(?:conversation|chat history|messages|mailbox|inbox|api keys?|secrets?|contacts|context|credentials|passwords?|tokens?|email addresses|files?)\b[^.!?\n]{0,40}\b(?:to|at|below|with)\b/gi,
  },
  {
    name: 'acts-without-person',
    category: 'instructions',
    weight: 0.35,
    pattern:
      /\b(?:click|press|approve|confirm|complete|authori[sz]e|accept)\b[^.!?\n]{0,50}\b(?:approve|confirm|payment|purchase|order|transfer)\b[^.!?\n]{0,40}\bwithout\b|\bskip (?:the )?(?:review|confirmation|checks?)\b|\bpush directly to main\b|\b(?:curl|wget)\b[^\n|]{1,120}\|\s?(?:ba|z)?sh\b/gi,
  },
  {
    name: 'authorises-model',
    category: 'instructions',
    weight: 0.4,
    pattern:
      /\bi,? (?:hereby )?(?:authori[sz]e|allow|permit|order|command) you\b|\b(?:owner|maintainer|administrator|developer|author) (?:of [a-z ]{1,30} )?(?:has|have) (?:authori[sz]ed|allowed|permitted|instructed) (?:you|this)\b/gi,
  },
  {
    name: 'skews-judgement',
    category: 'instructions',
    weight: 0.35,
    pattern:
      /\b(?:give|assign|award|write) (?:it |this |us |a |an |the ){0,4}(?:positive|highest|best|top|favou?rable|perfect) (?:review|score|rating|mark|grade)s?\b|\brecommend (?:only|acceptance|this [a-z]{1,30} only)\b|\b(?:never|do not|don['’]t) (?:mention|highlight|talk about|discuss) (?:the|any|its|our) (?:negative|retraction|lawsuit|complaint|weakness|competitor|problem|risk|flaw|limitation)(?:e?s)?\b/gi,
  },
]

/** Marks of turns, calls and addresses, in the text as it was sent. */
export const MARKUP_RULES: readonly RiskRule[] = [
  {
    name: 'turn-token',
    category: 'role_markup',
    weight: 0.6,
    pattern:
      /<\|(?:im_start|im_end|start_header_id|end_header_id|eot_id|endoftext|begin_of_text|system|user|assistant|end)\|>|\[\/?INST\]|<<\/?SYS>>|<(?:start|end)_of_turn>/gi,
  },
  {
    name: 'role-tag',
    category: 'role_markup',
    weight: 0.6,
    pattern:
      /<\/?(?:system(?:[_-](?:prompt|message|instructions?|reminder))?|assistant|user_(?:input|message|query)|developer|instructions?|admin)>|\[(?:system|assistant|admin|developer)\]\(#/gi,
  },
  {
    name: 'turn-heading',
    category: 'role_markup',
    weight: 0.55,
    pattern:
      /(?:^|\n)[ \t]{0,8}#{1,4} ?(?:system|assistant|system (?:prompt|message|instructions?))\s?:[ \t]{0,4}(?:\n|$)|(?:^|\n)[ \t]{0,8}(?:SYSTEM|ASSISTANT|Human|User|AI)\s?: [^\n]{3,300}\n{1,2}[ \t]{0,8}(?:ASSISTANT|Assistant|AI)\s?: /g,
  },
  {
    name: 'forged-end',
    category: 'role_markup',
    weight: 0.55,
    pattern:
      /(?:^|\n)[ \t]{0,8}[-=*#_]{3,40} ?(?:end|begin|start)(?:ning)? of (?:the )?(?:web ?page|document|page|content|user input|data|context|untrusted[a-z ]{0,20})|(?:^|\n)[ \t]{0,8}[-=*#_]{3,40} ?(?:new )?system (?:instructions?|message|prompt)|(?:^|\n)[ \t]{0,8}(?:system (?:message|notice|instruction|override)|new system prompt)\s?: /gi,
  },
  {
    name: 'role-message',
    category: 'role_markup',
    weight: 0.55,
    pattern: /["']role["']\s{0,4}:\s{0,4}["'](?:system|developer)["']/gi,
  },
  {
    name: 'call-tag',
    category: 'tool_syntax',
    weight: 0.65,
    pattern:
      /<\/?(?:[a-z]{1,10}:)?(?:tool_calls?|function_calls?|tool_use|tool_code|invoke|use_mcp_tool|execute_command)(?:\s[^<>\n]{0,200})?>|<parameter name=["'][^"'<>\n]{1,80}["']>/gi,
  },
  {
    name: 'call-object',
    category: 'tool_syntax',
    weight: 0.6,
    pattern:
      /["'](?:tool|name|tool_name|function|action)["']\s{0,4}:\s{0,4}["'][\w.:/-]{1,80}["'][^{}]{0,100}["'](?:arguments|parameters|input|args|params|action_input|tool_input)["']\s{0,4}:|["']method["']\s{0,4}:\s{0,4}["']tools\/call["']|["']type["']\s{0,4}:\s{0,4}["'](?:tool_use|tool_call|function_call)["']|["'](?:function_call|tool_calls)["']\s{0,4}:\s{0,4}[[{]/gi,
  },
  {
    name: 'action-line',
    category: 'tool_syntax',
    weight: 0.6,
    pattern: /(?:^|\n)\s{0,8}Action\s?:\s?[\w.-]{2,80}\s{0,4}\n\s{0,8}Action Input\s?:/gi,
  },
  {
    name: 'call-in-words',
    category: 'tool_syntax',
    weight: 0.55,
    pattern:
      /\b(?:call|invoke|execute|run|use|trigger) (?:the |your )?(?:(?:tool|function|method|action) )?[`"']?[a-z]{2,20}(?:_[a-z]{1,20}){1,5}[`"']?(?: (?:tool|function|method|action))?(?: with\b|\()|\b(?:call|invoke|use|run) (?:the |your )[`"']?[a-z]{2,20}(?:_[a-z]{1,20}){1,5}[`"']? (?:tool|function)\b|\b(?:use|with|through) your (?:shell|terminal|bash|browser|e-?mail|file|code|search|payment|database) tool\b/gi,
  },
  {
    name: 'image-with-placeholder',
    category: 'exfiltration_url',
    weight: 0.7,
    pattern:
      /!\[[^[\]]{0,200}\]\(\s{0,4}<?https?:\/\/[^\s()]{1,300}(?:\{|%7b|\[|<|\$\{|REPLACE|INSERT|YOUR[_-])[^()\n]{0,300}\)/gi,
  },
  {
    name: 'link-with-placeholder',
    category: 'exfiltration_url',
    weight: 0.6,
    pattern:
      /\[[^[\]]{0,200}\]\(\s{0,4}<?https?:\/\/[^\s()]{1,300}(?:\{{1,2}|%7b|\[|<|\$\{)[^(){}[\]<>\n]{0,60}(?:conversation|chat|history|user|data|prompt|secret|key|token|password|context|message|summary|memory|session|cookie|inbox)[^()\n]{0,200}\)/gi,
  },
  {
    name: 'url-with-secret-placeholder',
    category: 'exfiltration_url',
    weight: 0.6,
    pattern:
      /https?:\/\/[^\s()<>{}[\]"']{1,300}[?&/=](?:\{{1,2}|%7b|\[|<|\$\{)[^(){}[\]<>\n]{0,40}(?:conversation|chat_?history|system_?prompt|secret|password|api_?key|context|memory|inbox|messages|cookies?|user_?data|session)/gi,
  },
]

/** Characters that nobody sees and models read, in the text as it was sent. */
export const INVISIBLE_RULES: readonly RiskRule[] = [
  {
    name: 'tag-characters',
    category: 'hidden_text',
    weight: 0.8,
    // But for flags such as that of Wales, which are a black flag, letters and an end.
    pattern: /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,6})[\u{e0000}-\u{e007f}]{2,4000}/gu,
  },
  {
    name: 'direction-override',
    category: 'hidden_text',
    weight: 0.55,
    pattern: /[\u202d\u202e]/g,
  },
  {
    name: 'characters-without-width',
    category: 'hidden_text',
    weight: 0.6,
    pattern: /[\u200b-\u200d\u2060-\u2064\ufeff]{4,4000}|(?:[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]){3,4000}/gu,
  },
  {
    name: 'split-word',
    category: 'hidden_text',
    weight: 0.55,
    pattern: /[A-Za-z](?:(?:\u034f|[\u180e\u200b-\u200f\u2060-\u2064\ufeff]){1,3}[A-Za-z]){3,200}/g,
  },
]
