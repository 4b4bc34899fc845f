/* global React, GraphiQL */
// Builds the operation of the editor by clicking: the fields of the schema as a tree of checkboxes, with their arguments and
// variables. The editor holds the only copy: every change parses its text and prints it again; what is printed reaches the editor
// a frame later. Loaded when its panel is opened.
const h = React.createElement
const graphql = GraphiQL.GraphQL
const { Kind } = graphql
const { useEditorContext, useSchemaStore } = GraphiQL.React
const KINDS = ['query', 'mutation', 'subscription']
const TOP = []
const name = (value) => ({ kind: Kind.NAME, value })
const TYPENAME = { kind: Kind.FIELD, name: name('__typename') }
const NO_SELECTIONS = []
const selectionsOf = (node) => node?.selectionSet?.selections ?? NO_SELECTIONS
const selectionSet = (selections) => ({ kind: Kind.SELECTION_SET, selections: selections.length > 0 ? selections : [TYPENAME] })

/**
 * The comments above the first operation, which printing would lose, whether there are others, which it loses, and the document;
 * null for a text with errors.
 */
function read(text) {
  const [comments] = /^(?:[ \t]*#.*(?:\n|$)|[ \t]*\n)*/.exec(text)
  const below = text.slice(comments.length)
  if (below.trim() === '') return { comments, hasInnerComments: false, definitions: [] }
  try {
    const { definitions, loc } = graphql.parse(below)
    return { comments, hasInnerComments: hasComments(loc.startToken), definitions }
  } catch {
    return null
  }
}

function hasComments(first) {
  for (let token = first; token; token = token.next) if (token.kind === graphql.TokenKind.COMMENT) return true
  return false
}

/** Names of the variables that a node, or a list of them, defines or uses. */
function variablesOf(nodes) {
  const names = new Set()
  for (const node of [nodes].flat()) graphql.visit(node, { Variable: ({ name: { value } }) => void names.add(value) })
  return names
}

/** Without definitions of variables that nothing uses. */
function write({ comments, definitions }) {
  if (definitions.length === 0) return comments
  const above = comments === '' || comments.endsWith('\n') ? comments : `${comments}\n`
  const used = new Set()
  const collect = { VariableDefinition: () => false, Variable: (node) => void used.add(node.name.value) }
  for (const definition of definitions) graphql.visit(definition, collect)
  const pruned = definitions.map((definition) => ({
    ...definition,
    variableDefinitions: definition.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)),
  }))
  return `${above}${graphql.print({ kind: Kind.DOCUMENT, definitions: pruned })}\n`
}

const isAt = (node, step) =>
  step.on === undefined
    ? node.kind === Kind.FIELD && node.name.value === step.field
    : node.kind === Kind.INLINE_FRAGMENT && node.typeCondition?.name.value === step.on

/** Selections with the node at `path` replaced by what `change` makes of it: undefined is none, also as its result. */
function changeAt(selections, [step, ...rest], change) {
  const index = selections.findIndex((node) => isAt(node, step))
  const found = selections[index]
  if (rest.length > 0 && !found) return selections
  const changed =
    rest.length === 0 ? change(found) : { ...found, selectionSet: selectionSet(changeAt(selectionsOf(found), rest, change)) }
  if (changed === undefined) return selections.filter((_, at) => at !== index)
  if (index !== -1) return selections.map((node, at) => (at === index ? changed : node))
  // `__typename` alone stood for an empty selection.
  const others = selections.length === 1 && selections[0].name?.value === '__typename' ? [] : selections
  return [...others, changed]
}

const isComposite = (type) => graphql.isCompositeType(graphql.getNamedType(type))

/** What a new composite field selects: its id, or the first field without required arguments. */
function firstSelections(type) {
  const named = graphql.getNamedType(type)
  const leaves = graphql.isUnionType(named)
    ? []
    : Object.values(named.getFields()).filter((field) => !isComposite(field.type) && !field.args.some(graphql.isRequiredArgument))
  const leaf = leaves.find((field) => field.name === 'id') ?? leaves[0]
  return leaf ? [{ kind: Kind.FIELD, name: name(leaf.name) }] : []
}

/** The operation with a variable for an argument, and the variable. Its name is none of the whole document, `taken`. */
function withVariable(operation, argument, taken) {
  let free = argument.name
  for (let count = 2; taken.has(free); count++) free = `${argument.name}${count}`
  taken.add(free)
  const variable = { kind: Kind.VARIABLE, name: name(free) }
  const definition = { kind: Kind.VARIABLE_DEFINITION, variable, type: graphql.parseType(String(argument.type)) }
  return { variable, operation: { ...operation, variableDefinitions: [...(operation.variableDefinitions ?? []), definition] } }
}

/** An operation with or without the field at `path`. Required arguments become variables. */
function toggleField(operation, path, field, taken) {
  let next = operation
  const selections = changeAt(selectionsOf(operation), path, (found) => {
    if (found) return undefined
    const args = field.args.filter(graphql.isRequiredArgument).map((argument) => {
      const added = withVariable(next, argument, taken)
      next = added.operation
      return { kind: Kind.ARGUMENT, name: name(argument.name), value: added.variable }
    })
    const inner = isComposite(field.type) ? { selectionSet: selectionSet(firstSelections(field.type)) } : {}
    return { kind: Kind.FIELD, name: name(field.name), arguments: args, ...inner }
  })
  return { ...next, selectionSet: { kind: Kind.SELECTION_SET, selections } }
}

/** An operation with this value of an argument; null: without the argument. */
const setArgument = (operation, path, argument, value) => ({
  ...operation,
  selectionSet: selectionSet(
    changeAt(selectionsOf(operation), path, (field) => {
      const args = field.arguments ?? []
      const given = { kind: Kind.ARGUMENT, name: name(argument.name), value }
      if (value === null) return { ...field, arguments: args.filter((each) => each.name.value !== argument.name) }
      const isThere = args.some((each) => each.name.value === argument.name)
      return {
        ...field,
        arguments: isThere ? args.map((each) => (each.name.value === argument.name ? given : each)) : [...args, given],
      }
    }),
  ),
})

/** What an argument starts with: its default, or a value that is valid where one is. */
function firstValue({ type, defaultValue }) {
  const literal = defaultValue === undefined ? null : literalOf(defaultValue, type)
  if (literal !== null) return literal
  const nullable = graphql.getNullableType(type)
  if (graphql.isListType(nullable)) return { kind: Kind.LIST, values: [] }
  if (graphql.isInputObjectType(nullable)) return { kind: Kind.OBJECT, fields: [] }
  if (graphql.isEnumType(nullable)) return { kind: Kind.ENUM, value: nullable.getValues()[0].name }
  if (nullable.name === 'Boolean') return { kind: Kind.BOOLEAN, value: true }
  if (nullable.name === 'Int' || nullable.name === 'Float') return { kind: Kind.INT, value: '1' }
  return { kind: Kind.STRING, value: '' }
}

/** A text as a value, without variables if `isConst`: words need no quotes where a text is expected. Null when it is none. */
function typedValue(text, type, isConst) {
  const nullable = graphql.getNullableType(type)
  const isText = graphql.isScalarType(nullable) && !['Int', 'Float', 'Boolean'].includes(nullable.name)
  // A custom scalar may be an object or a list.
  const isWhole = isText && !graphql.isSpecifiedScalarType(nullable) && /^\s*[{[]/.test(text)
  if (isText && !isWhole) return { kind: Kind.STRING, value: text }
  try {
    const value = isConst ? graphql.parseConstValue(text, { noLocation: true }) : graphql.parseValue(text, { noLocation: true })
    // A word is a value of an enum, and no number.
    const isWrong =
      graphql.isScalarType(nullable) &&
      !isText &&
      variablesOf(value).size === 0 &&
      graphql.valueFromAST(value, type) === undefined
    return isWrong ? null : value
  } catch {
    return null
  }
}

const textOf = (value) => (value.kind === Kind.STRING ? value.value : graphql.print(value))

/** A field for a value. Texts that are no value stay until it is left. */
function ValueField({ label, type, value, isConst, set }) {
  const [typed, setTyped] = React.useState(null)
  const nullable = graphql.getNullableType(type)
  const words = graphql.isEnumType(nullable)
    ? nullable.getValues().map((each) => each.name)
    : nullable.name === 'Boolean'
      ? ['true', 'false']
      : null
  const text = typed ?? textOf(value)
  if (words !== null) {
    const options = words.map((word) => h('option', { key: word }, word))
    // A variable without a value: the first word would look chosen, and could not be.
    const isChosen = words.includes(text)
    if (!isChosen) options.unshift(h('option', { key: '', value: '', disabled: true }, 'Choose'))
    return h(
      'select',
      { 'aria-label': label, value: isChosen ? text : '', onChange: ({ target }) => set(graphql.parseValue(target.value)) },
      options,
    )
  }
  return h('input', {
    'aria-label': label,
    value: text,
    'aria-invalid': typed !== null && typedValue(typed, type, isConst) === null ? true : undefined,
    onBlur: () => setTyped(null),
    onChange: ({ target }) => {
      setTyped(target.value)
      const next = typedValue(target.value, type, isConst)
      if (next !== null) set(next)
    },
  })
}

function ArgumentRow({ argument, path, field, given, edit }) {
  const { name: word, type } = argument
  const isVariable = given?.value.kind === Kind.VARIABLE
  const variable = isVariable ? given.value.name.value : null
  const stored = isVariable ? edit.variable(variable) : undefined
  const label = `${field.name}, argument ${word}`
  const set = (value) => edit.operation((operation) => setArgument(operation, path, argument, value))
  const toVariable = () => {
    const value = graphql.valueFromASTUntyped(given.value)
    edit.operation((operation, taken) => {
      const added = withVariable(operation, argument, taken)
      edit.setVariable(added.variable.name.value, value)
      return setArgument(added.operation, path, argument, added.variable)
    })
  }
  const literal = stored === undefined ? firstValue(argument) : literalOf(stored, type)
  const toValue = () => set(literal)
  const obstacle = given ? obstacleOf(given.value, literal, edit.hasVariables) : null
  const shown = isVariable ? (stored === undefined ? null : valueFromJson(stored)) : given?.value
  return h(
    'li',
    null,
    h(
      'label',
      null,
      h('input', { type: 'checkbox', checked: Boolean(given), onChange: () => set(given ? null : firstValue(argument)) }),
      h('span', { className: 'builder-argument' }, `${word}:`),
      ' ',
      h('small', null, String(type)),
    ),
    given &&
      h(
        'span',
        { className: 'builder-value' },
        variable !== null && h('code', null, `$${variable}`),
        h(ValueField, {
          label,
          type,
          value: shown ?? { kind: Kind.STRING, value: '' },
          isConst: isVariable,
          set: isVariable ? (value) => edit.setVariable(variable, graphql.valueFromASTUntyped(value)) : set,
        }),
        h(
          'button',
          {
            type: 'button',
            'aria-label': `${label}: ${isVariable ? 'as a value' : 'as a variable'}`,
            disabled: obstacle !== null,
            title: obstacle ?? undefined,
            onClick: isVariable ? toValue : toVariable,
          },
          isVariable ? 'as value' : 'as $',
        ),
      ),
  )
}

/** Why a value cannot become a variable, or a variable the value `literal`, without a loss; null when it can. */
function obstacleOf(value, literal, hasVariables) {
  if (!hasVariables) return 'The variables are no JSON object.'
  if (value.kind === Kind.VARIABLE) return literal === null ? 'GraphQL has no literal for the keys of this value.' : null
  if (!hasExactNumbers(value)) return 'JSON has no such number.'
  return variablesOf(value).size > 0 ? 'A variable cannot have others in its value.' : null
}

/** Whether no whole number of a value is so large that the browser would round it. */
function hasExactNumbers(value) {
  const numbers = []
  graphql.visit(value, { IntValue: (node) => void numbers.push(Number(node.value)) })
  return numbers.every(Number.isSafeInteger)
}

/** JSON as a value in the text of an operation; null when it has keys that are no names there. */
const literalOf = (json, type) => (hasNames(json) ? valueFromJson(json, type) : null)

const hasNames = (json) =>
  typeof json !== 'object' ||
  Object.entries(json ?? {}).every(
    ([key, value]) => (Array.isArray(json) || /^[_A-Za-z][_0-9A-Za-z]*$/.test(key)) && hasNames(value),
  )

/** JSON as a value, also where it is none of `type`: nothing of it is lost. Without a type, words of enums are texts. */
function valueFromJson(json, type) {
  const nullable = graphql.getNullableType(type)
  if (graphql.isListType(nullable) && !Array.isArray(json)) return valueFromJson(json, nullable.ofType)
  if (typeof json === 'string') {
    const isWord = graphql.isEnumType(nullable) && nullable.getValue(json) !== undefined
    return { kind: isWord ? Kind.ENUM : Kind.STRING, value: json }
  }
  if (typeof json === 'number') return { kind: Number.isInteger(json) ? Kind.INT : Kind.FLOAT, value: String(json) }
  if (typeof json === 'boolean') return { kind: Kind.BOOLEAN, value: json }
  if (json === null) return { kind: Kind.NULL }
  if (Array.isArray(json)) return { kind: Kind.LIST, values: json.map((each) => valueFromJson(each, nullable?.ofType)) }
  const known = graphql.isInputObjectType(nullable) ? nullable.getFields() : {}
  const fields = Object.entries(json).map(([key, value]) => ({
    kind: Kind.OBJECT_FIELD,
    name: name(key),
    value: valueFromJson(value, known[key]?.type),
  }))
  return { kind: Kind.OBJECT, fields }
}

const FieldRow = React.memo(({ field, parent, node, edit }) => {
  const path = React.useMemo(() => [...parent, { field: field.name }], [parent, field])
  const toggle = () => edit.operation((operation, taken) => toggleField(operation, path, field, taken))
  const given = (word) => node.arguments?.find((each) => each.name.value === word)
  return h(
    'li',
    null,
    h(
      'label',
      null,
      h('input', { type: 'checkbox', checked: Boolean(node), onChange: toggle }),
      node?.alias && h('code', null, `${node.alias.value}:`),
      field.name,
      ' ',
      h('small', null, String(field.type)),
    ),
    node &&
      field.args.length > 0 &&
      h(
        'ul',
        { 'aria-label': `Arguments of ${field.name}` },
        field.args.map((argument) =>
          h(ArgumentRow, { key: argument.name, argument, path, field, given: given(argument.name), edit }),
        ),
      ),
    node &&
      isComposite(field.type) &&
      h(Fields, { type: graphql.getNamedType(field.type), path, selections: selectionsOf(node), edit }),
  )
})

/** About as many rows of a list as a window shows are drawn at once; the others follow, frame by frame. */
const ROWS_AT_ONCE = 24
/** Of a list that a click opens: a row and its arguments are about 20 elements, which the frame of the click has to draw. */
const INNER_ROWS_AT_ONCE = 8

/** How many rows of a list of `length` are drawn by now, `step` more each frame; another filter begins again. */
function useRowCount(length, filter, step) {
  const [drawn, setDrawn] = React.useState({ filter, count: step })
  if (drawn.filter !== filter) setDrawn({ filter, count: step })
  const count = drawn.filter === filter ? drawn.count : step
  React.useEffect(() => {
    if (count >= length) return
    const more = { filter, count: count + step }
    const waiting = requestAnimationFrame(() => React.startTransition(() => setDrawn(more)))
    return () => cancelAnimationFrame(waiting)
  }, [count, length, filter, step])
  return count
}

/** The fields of a type, and the types that an abstract one may be. */
const Fields = React.memo(({ type, path, selections, edit, filter = '' }) => {
  const { schema } = useSchemaStore()
  const fields = graphql.isUnionType(type) ? [] : Object.values(type.getFields())
  const types = graphql.isAbstractType(type) ? schema.getPossibleTypes(type) : []
  const find = (step) => selections.find((node) => isAt(node, step))
  const shown = fields.filter((field) => find({ field: field.name }) || field.name.toLowerCase().includes(filter))
  const count = useRowCount(shown.length + types.length, filter, path.length === 0 ? ROWS_AT_ONCE : INNER_ROWS_AT_ONCE)
  return h(
    'ul',
    { 'aria-label': `Fields of ${type.name}` },
    shown
      .slice(0, count)
      .map((field) => h(FieldRow, { key: field.name, field, parent: path, node: find({ field: field.name }), edit })),
    types
      .slice(0, Math.max(0, count - shown.length))
      .map((each) => h(TypeRow, { key: `on ${each.name}`, type: each, parent: path, node: find({ on: each.name }), edit })),
  )
})

const TypeRow = React.memo(({ type, parent, node, edit }) => {
  const path = React.useMemo(() => [...parent, { on: type.name }], [parent, type])
  const typeCondition = { kind: Kind.NAMED_TYPE, name: name(type.name) }
  const fragment = () => ({ kind: Kind.INLINE_FRAGMENT, typeCondition, selectionSet: selectionSet(firstSelections(type)) })
  const toggle = () =>
    edit.operation((operation) => ({
      ...operation,
      selectionSet: selectionSet(changeAt(selectionsOf(operation), path, (found) => (found ? undefined : fragment()))),
    }))
  return h(
    'li',
    null,
    h('label', null, h('input', { type: 'checkbox', checked: Boolean(node), onChange: toggle }), `… on ${type.name}`),
    node && h(Fields, { type, path, selections: selectionsOf(node), edit }),
  )
})

/** Replaces the text of an editor by its smallest change: other lines are not drawn again, and the cursor stays. One step of undo. */
function replaceText(editor, next) {
  const text = editor.getValue()
  const shorter = Math.min(text.length, next.length)
  let [prefix, suffix] = [0, 0]
  while (prefix < shorter && text[prefix] === next[prefix]) prefix++
  while (suffix < shorter - prefix && text.at(-1 - suffix) === next.at(-1 - suffix)) suffix++
  const [from, to] = [prefix, text.length - suffix].map((index) => editor.posFromIndex(index))
  editor.replaceRange(next.slice(prefix, next.length - suffix), from, to)
}

/** Runs `task` after the next frame is painted. */
const afterPaint = (task) => requestAnimationFrame(() => setTimeout(task))

/** Before another part of the page can read an editor. */
const NEXT_INPUT = ['pointerdown', 'keydown']

/**
 * The text of an editor with the changes of the tree, which are written to the editor after the frame that shows them: the editor
 * measures the whole page when it draws. `show` gets each new text.
 */
function createDraft(editor, show) {
  let pending = null
  const flush = () => {
    for (const type of NEXT_INPUT) removeEventListener(type, flush, true)
    if (pending === null) return
    const text = pending
    pending = null
    replaceText(editor, text)
  }
  return {
    flush,
    text: () => pending ?? editor?.getValue() ?? '',
    write(text) {
      if (!editor) return
      if (pending === null) {
        for (const type of NEXT_INPUT) addEventListener(type, flush, true)
        afterPaint(flush)
      }
      pending = text
      show(text)
    },
    /** The editor changed by itself: what was not written is not of its text. */
    drop() {
      pending = null
    },
  }
}

/** The text of an editor, as it changes, and its draft. What is typed there does not wait for the tree. */
function useText(editor) {
  const [text, setText] = React.useState(() => editor?.getValue() ?? '')
  const draft = React.useMemo(() => createDraft(editor, setText), [editor])
  React.useEffect(() => {
    const update = () => setText(draft.text())
    // CodeMirror's origins of what is typed, `+input` and `+delete`. Some events have no change.
    const listener = (_, change) => {
      if (change) draft.drop()
      if (change?.origin?.startsWith('+')) React.startTransition(update)
      else update()
    }
    update()
    editor?.on('change', listener)
    return () => {
      draft.flush()
      editor?.off('change', listener)
    }
  }, [editor, draft])
  return [text, draft]
}

/** The variables of a text; null when it is no object of JSON. */
function variablesIn(text) {
  try {
    const variables = text.trim() === '' ? {} : JSON.parse(text)
    return typeof variables === 'object' && !Array.isArray(variables) ? variables : null
  } catch {
    return null
  }
}

/** The operation that is edited: the chosen one, or the first. */
function operationIn(definitions, chosen) {
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
  return operations.find((each) => each.name?.value === chosen) ?? operations[0]
}

export default function Builder() {
  const editor = useEditorContext({ nonNull: true })
  const { schema } = useSchemaStore()
  const { queryEditor, variableEditor } = editor
  const [text, query] = useText(queryEditor)
  const [variableText, variables] = useText(variableEditor)
  const [wanted, setWanted] = React.useState('query')
  const [filter, setFilter] = React.useState('')
  // The field shows a key at once, the tree follows in pieces of a few milliseconds.
  const shownFilter = React.useDeferredValue(filter.trim().toLowerCase())
  const chosen = editor.tabs[editor.activeTabIndex]?.operationName
  const edit = React.useMemo(
    () => ({
      /** Replaces the operation by what `change` makes of it and the variables of the document; without fields it is taken out. */
      operation(change) {
        const document = read(query.text())
        if (document === null) return
        const found = operationIn(document.definitions, chosen)
        const operation = found ?? {
          kind: Kind.OPERATION_DEFINITION,
          operation: wanted,
          selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
        }
        const changed = change(operation, variablesOf(document.definitions))
        const others = document.definitions.filter((each) => each !== found)
        const definitions =
          selectionsOf(changed).length === 0
            ? others
            : found
              ? document.definitions.map((each) => (each === found ? changed : each))
              : [...others, changed]
        query.write(write({ ...document, definitions }))
      },
      hasVariables: variablesIn(variableText) !== null,
      variable(word) {
        const values = variablesIn(variables.text()) ?? {}
        return Object.hasOwn(values, word) ? values[word] : undefined
      },
      setVariable(word, value) {
        const values = variablesIn(variables.text())
        // What cannot be read is not replaced.
        if (values !== null) variables.write(JSON.stringify({ ...values, [word]: value }, null, 2))
      },
    }),
    [query, variables, chosen, wanted, variableText],
  )
  const document = React.useMemo(() => read(text), [text])
  const operation = document && operationIn(document.definitions, chosen)
  const kind = operation?.operation ?? wanted
  const root = schema?.getRootType(kind)
  return h(
    'section',
    { className: 'builder', 'aria-label': 'Operation builder' },
    h('h2', null, 'Build an operation'),
    h(
      'p',
      null,
      h(
        'select',
        {
          'aria-label': 'Kind of operation',
          value: kind,
          disabled: Boolean(operation),
          onChange: ({ target }) => setWanted(target.value),
        },
        KINDS.filter((each) => schema?.getRootType(each)).map((each) => h('option', { key: each }, each)),
      ),
      h('input', {
        type: 'search',
        'aria-label': 'Filter fields',
        placeholder: 'Filter fields',
        value: filter,
        onChange: ({ target }) => setFilter(target.value),
      }),
    ),
    !edit.hasVariables && h('p', { role: 'status' }, 'The variables are no JSON object: correct them before you change values.'),
    document?.hasInnerComments &&
      h('p', { role: 'status' }, 'The first change here removes the comments inside and between operations.'),
    document === null && h('p', { role: 'status' }, 'The text of the editor has an error: mend it, or open a new tab.'),
    !schema && h('p', { role: 'status' }, 'The schema is on its way.'),
    document && root && h(Fields, { type: root, path: TOP, selections: selectionsOf(operation), edit, filter: shownFilter }),
  )
}
