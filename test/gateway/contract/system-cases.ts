import { type ContractCase, get, post, type SavedValues } from './contract-case.ts'

/** Headers of a user who signed in, of a store, and of a key of the trust subgraph. */
const asAnn = ({ token = '' }: SavedValues) => ({ authorization: `Bearer ${token}` })
const asStore = ({ login = '', authtoken = '' }: SavedValues) => ({ 'x-login-key': login, 'x-auth-token': authtoken })
const asKey = ({ key = '' }: SavedValues) => ({ 'x-api-key': key })

const SIGN_UP =
  'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { name role } errors { field message } } }'
const ann = { email: 'ann@example.org', name: 'Ann', password: 'correct horse' }
const LOGIN = `mutation ($password: String!) { login(email: "ann@example.org", password: $password) {
  __typename ... on LoginSuccess { token user { id name } } } }`
const SEARCH = '{ search(query: "postgres", first: 2) { totalCount edges { node { id name } } } }'

const DIRECTORY: readonly ContractCase[] = [
  { what: 'a search', request: post(SEARCH) },
  { what: 'a search over GET', request: get({ query: SEARCH }) },
  {
    what: 'items with the posts about them',
    request: post(
      '{ search(query: "postgres", first: 2) { edges { node { id __typename ... on McpServer { posts(first: 1) { totalCount } } } } } }',
    ),
  },
  { what: 'items with their trust', request: post('{ mcpServers(first: 3) { edges { node { name trust { __typename } } } } }') },
  { what: 'counts', request: post('{ directoryStats { __typename } categories { __typename } }') },
  { what: 'an unknown item', request: post('{ skill(slug: "nobody") { name } }'), data: { skill: null } },
  {
    what: 'a text that is too long',
    request: post(`{ search(query: "${'x'.repeat(201)}") { totalCount } }`),
    codes: ['BAD_USER_INPUT search'],
  },
  {
    what: 'a cursor that is none',
    request: post('{ skills(first: 1, after: "x") { totalCount } }'),
    codes: ['BAD_USER_INPUT skills'],
  },
  {
    what: 'a page of another size than allowed',
    request: post('query ($n: Int!) { skills(first: $n) { totalCount } }', { variables: { n: 0 } }),
    codes: ['BAD_USER_INPUT skills'],
  },
  {
    what: 'introspection',
    request: post(
      '{ __schema { queryType { name } mutationType { name } subscriptionType { name } } __type(name: "Skill") { fields { name description } } }',
    ),
  },
  { what: 'a list where batches are off', request: { body: [{ query: '{ __typename }' }] }, status: 400, codes: ['BAD_REQUEST'] },
]

const SOCIAL: readonly ContractCase[] = [
  {
    what: 'sign up',
    request: post(SIGN_UP, { variables: { input: ann } }),
    data: { createUser: { user: { name: 'Ann', role: 'USER' }, errors: [] } },
  },
  { what: 'sign up twice', request: post(SIGN_UP, { variables: { input: ann } }) },
  { what: 'sign up with faults', request: post(SIGN_UP, { variables: { input: { email: 'x', name: ' ', password: 'short' } } }) },
  {
    what: 'a login with a wrong password',
    request: post(LOGIN, { variables: { password: 'wrong horse' } }),
    data: { login: { __typename: 'InvalidCredentials' } },
  },
  {
    what: 'a login',
    request: post(LOGIN, { variables: { password: 'correct horse' } }),
    keep: ({ login }) => ({ token: login.token, user: login.user.id }),
  },
  { what: 'me, anonymous', request: post('{ me { name } }'), data: { me: null } },
  {
    what: 'me',
    request: (values) => post('{ me { name email role } }', {}, asAnn(values)),
    data: { me: { name: 'Ann', email: 'ann@example.org', role: 'USER' } },
  },
  {
    what: 'a token that is none',
    request: post('mutation { signOut { sessionsEnded } }', {}, { authorization: 'Bearer x.y.z' }),
    codes: ['UNAUTHENTICATED signOut'],
    data: null,
  },
  {
    what: 'a post, anonymous',
    request: post('mutation { createPost(input: {title: "T", content: "C"}) { __typename } }'),
    codes: ['UNAUTHENTICATED createPost'],
    data: null,
  },
  {
    what: 'a post',
    request: (values) =>
      post(
        'mutation { createPost(input: {title: "T", content: "C", published: true}) { ... on CreatePostSuccess { post { id title author { name } published } } } }',
        {},
        asAnn(values),
      ),
    keep: ({ createPost }) => ({ post: createPost.post.id }),
  },
  {
    what: 'a post without a title',
    request: (values) =>
      post(
        'mutation { createPost(input: {title: "", content: "C"}) { __typename ... on ValidationError { field } } }',
        {},
        asAnn(values),
      ),
  },
  {
    what: 'a comment, and the post with it',
    request: (values) =>
      post(
        'mutation ($id: ID!) { addComment(postId: $id, content: "Fine") { ... on AddCommentSuccess { comment { content author { name } post { title comments { content } } } } } }',
        { variables: { id: values.post } },
        asAnn(values),
      ),
  },
  {
    what: 'a comment on nothing',
    request: (values) => post('mutation { addComment(postId: "nothing", content: "x") { __typename } }', {}, asAnn(values)),
    data: { addComment: { __typename: 'NotFoundError' } },
  },
  {
    what: 'a change of a post',
    request: (values) =>
      post(
        'mutation ($id: ID!) { updatePost(id: $id, input: {title: "New"}) { ... on UpdatePostSuccess { post { title content } } } }',
        { variables: { id: values.post } },
        asAnn(values),
      ),
  },
  {
    what: 'a change of a post by a stranger',
    request: ({ post: id }) => post('mutation ($id: ID!) { deletePost(id: $id) { __typename } }', { variables: { id } }),
    codes: ['UNAUTHENTICATED deletePost'],
    data: null,
  },
  {
    what: 'a room and a message',
    request: (values) =>
      post(
        'mutation { createRoom(name: "Hall") { ... on CreateRoomSuccess { room { id name owner { name } } } } }',
        {},
        asAnn(values),
      ),
    keep: ({ createRoom }) => ({ room: createRoom.room.id }),
  },
  {
    what: 'a message',
    request: (values) =>
      post(
        'mutation ($id: ID!) { sendMessage(roomId: $id, text: "Hi") { ... on SendMessageSuccess { message { text author { name } room { name } } } } }',
        { variables: { id: values.room } },
        asAnn(values),
      ),
  },
  {
    what: 'a room of others',
    request: (values) => post('query ($id: ID!) { room(id: $id) { name } }', { variables: { id: values.room } }),
    codes: ['UNAUTHENTICATED room'],
  },
  {
    what: 'a role that the caller may not give',
    request: (values) =>
      post(
        'mutation ($id: ID!) { updateUser(id: $id, input: {role: ADMIN}) { __typename } }',
        { variables: { id: values.user } },
        asAnn(values),
      ),
    codes: ['FORBIDDEN updateUser'],
    data: null,
  },
  { what: 'a user who is none', request: post('{ user(id: "nobody") { name } }'), codes: ['NOT_FOUND user'], data: null },
  {
    what: 'the feed',
    request: post('{ feed(first: 5) { totalCount edges { node { title author { name posts(limit: 2) { title } } } } } }'),
  },
  {
    what: 'a subscription over POST',
    request: post('subscription { userCreated { name } }'),
    status: 400,
    codes: ['SUBSCRIPTIONS_NOT_SUPPORTED'],
  },
  {
    what: 'a conditional subscription',
    request: post('subscription ($s: Boolean!) { userCreated @skip(if: $s) { name } }', { variables: { s: true } }),
    status: 400,
    codes: ['SUBSCRIPTIONS_NOT_SUPPORTED'],
  },
  {
    what: 'a subscription as an event stream',
    contentType: 'text/event-stream; charset=utf-8',
    request: (values) => post('subscription { userCreated { name } }', {}, { accept: 'text/event-stream', ...asAnn(values) }),
    data: null,
  },
  {
    what: 'a query as an event stream',
    contentType: 'text/event-stream; charset=utf-8',
    request: post('{ __typename }', {}, { accept: 'text/event-stream' }),
    data: null,
  },
  {
    what: 'a sign-out',
    request: (values) => post('mutation { signOut { sessionsEnded } }', {}, asAnn(values)),
    data: { signOut: { sessionsEnded: 1 } },
  },
  {
    what: 'a token that was signed out',
    request: (values) => post('mutation { signOutEverywhere { sessionsEnded } }', {}, asAnn(values)),
    codes: ['UNAUTHENTICATED signOutEverywhere'],
    data: null,
  },
]

const STORE: readonly ContractCase[] = [
  { what: 'a store without credentials', request: post('{ store { id } }'), codes: ['UNAUTHENTICATED store'], data: null },
  {
    what: 'a store',
    request: (values) => post('{ store { name currency country } callerGrants { isAuthenticated } }', {}, asStore(values)),
  },
  {
    what: 'a wrong authtoken',
    request: (values) => post('{ store { id } }', {}, asStore({ ...values, authtoken: 'x'.repeat(32) })),
    codes: ['UNAUTHENTICATED store'],
    data: null,
  },
  {
    what: 'a product',
    request: (values) =>
      post(
        'mutation { createProduct(input: {name: "Lamp", price: "12.50", sku: "L-1"}) { __typename ... on CreateProductSuccess { product { id name sku status } } } }',
        {},
        asStore(values),
      ),
    keep: ({ createProduct }) => ({ product: createProduct.product.id }),
  },
  {
    what: 'a product with faults',
    request: (values) =>
      post(
        'mutation { createProduct(input: {name: "", price: "-1"}) { __typename ... on ValidationError { message field } } }',
        {},
        asStore(values),
      ),
  },
  {
    what: 'a price that is no number',
    request: (values) =>
      post(
        'mutation ($p: Decimal!) { createProduct(input: {name: "Lamp", price: $p}) { __typename } }',
        { variables: { p: 'dear' } },
        asStore(values),
      ),

    codes: ['BAD_USER_INPUT'],
  },
  {
    what: 'a change of a product',
    request: (values) =>
      post(
        'mutation ($id: ID!) { updateProduct(id: $id, input: {name: "Big lamp"}) { ... on UpdateProductSuccess { product { name } } } }',
        { variables: { id: values.product } },
        asStore(values),
      ),
  },
  {
    what: 'products',
    request: (values) =>
      post('{ products(first: 3, orderBy: ID_ASC) { totalCount nodes { name sku status } } }', {}, asStore(values)),
  },
  {
    what: 'a customer',
    request: (values) =>
      post(
        'mutation { createCustomer(input: {email: "bob@example.org"}) { __typename ... on CreateCustomerSuccess { customer { email status } } } }',
        {},
        asStore(values),
      ),
  },
  {
    what: 'a customer twice',
    request: (values) =>
      post('mutation { createCustomer(input: {email: "BOB@example.org"}) { __typename } }', {}, asStore(values)),
  },
  {
    what: 'a deletion without credentials',
    request: ({ product }) =>
      post('mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { variables: { id: product } }),
    codes: ['UNAUTHENTICATED deleteProduct'],
    data: null,
  },
  {
    what: 'a deletion',
    request: (values) =>
      post(
        'mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }',
        { variables: { id: values.product } },
        asStore(values),
      ),
    data: { deleteProduct: { __typename: 'DeleteProductSuccess' } },
  },
]

const TRUST: readonly ContractCase[] = [
  {
    what: 'usage without a key',
    request: post('{ trustUsage { __typename } }'),
    codes: ['UNAUTHENTICATED trustUsage'],
    data: null,
  },
  { what: 'usage of a key', request: (values) => post('{ trustUsage { used limit } }', {}, asKey(values)) },
  {
    what: 'an override',
    request: (values) =>
      post(
        'mutation { setOverride(input: {subject: "good.example.com", action: PROCEED, reason: "ours"}) { __typename ... on SetOverrideSuccess { override { subject scope action } } } }',
        {},
        asKey(values),
      ),
  },
  {
    what: 'an override of nothing',
    request: (values) =>
      post(
        'mutation { setOverride(input: {subject: "..", action: PROCEED, reason: "x"}) { __typename ... on InvalidOverride { faults { field } } } }',
        {},
        asKey(values),
      ),
  },
  {
    what: 'overrides',
    request: (values) => post('{ overrides(first: 2) { totalCount edges { node { subject } } } }', {}, asKey(values)),
  },
  {
    what: 'a decision about no domain',
    request: (values) => post('{ decide(input: {domain: "not a host"}) { __typename } }', {}, asKey(values)),
    data: { decide: { __typename: 'InvalidTarget' } },
  },
  {
    what: 'a decision by an override',
    request: (values) =>
      post(
        '{ decide(input: {domain: "good.example.com"}) { __typename ... on DecisionMade { usage { used } } } }',
        {},
        asKey(values),
      ),
  },
  {
    what: 'no override any more',
    request: (values) =>
      post(
        'mutation { deleteOverride(subject: "good.example.com") { __typename } again: deleteOverride(subject: "good.example.com") { __typename } }',
        {},
        asKey(values),
      ),
  },
]

/** The contract of `/graphql` on all four subgraphs; in order, since later cases need what earlier ones made. */
export const SYSTEM_CASES: readonly ContractCase[] = [...DIRECTORY, ...SOCIAL, ...STORE, ...TRUST]
