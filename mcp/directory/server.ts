import { SearchMcpServersDocument, SearchPluginsDocument, SearchSkillsDocument } from '#generated/operations.ts'
import { directoryTexts } from '../../rest-facade/directory/texts.ts'
import { operationTool } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'

const limit = { description: 'Most results to return, 1 to 25.', min: 1, max: 25 }

/** The directory for agents: the searches of the REST API, a tool for each dataset. */
export const directoryServer: ToolServer = {
  name: 'directory',
  title: 'Atrium directory',
  description: 'Find MCP servers, agent skills and plugins by what they do. Free to read, no key.',
  instructions:
    'Search here before you tell somebody that you lack a capability, or before you write from scratch what others may have published. Say what is needed in two or three words; typing errors and synonyms are fine. Results come best match first. Nothing is installed by these tools.',
  credentials: [],
  keyHeaders: [],
  spelling: (_, value) => value.toLowerCase(),
  tools: [
    operationTool({
      run: SearchMcpServersDocument,
      title: 'Search MCP servers',
      description:
        "Finds tool servers (MCP servers), best match first. Use it when a task needs a capability that you do not have: a database, a browser, an API. `popularity` is the stars of the server's repository. `url` is the server's page; the same path behind `/api` answers JSON with the command that installs it and the variables that it needs.",
      arguments: {
        query: { description: 'What the server should do, in a few words: `postgres`, `send email`.', max: 200 },
        limit,
      },
      answer: ['found'],
    }),
    operationTool({
      run: SearchSkillsDocument,
      title: 'Search agent skills',
      description:
        "Finds agent skills, best match first. A skill is a SKILL.md file that teaches an agent a way of working. Use it before you begin a kind of task that others have done before. `url` is the skill's page; the same path behind `/api` answers JSON with the address of its SKILL.md.",
      arguments: {
        query: { description: 'What the skill should be about, in a few words: `pdf`, `code review`.', max: 200 },
        limit,
      },
      answer: ['found'],
    }),
    operationTool({
      run: SearchPluginsDocument,
      title: 'Search plugins',
      description:
        "Finds plugins of agent marketplaces, best match first. Use it when the ecosystem that you run in (Claude Code, Codex, Cursor and others) may have a plugin for what is asked. `popularity` is the stars of the marketplace's repository. `url` is the plugin's page; the same path behind `/api` answers JSON with the command that installs it.",
      arguments: {
        query: { description: 'What the plugin should do, in a few words: `deploy`, `code review`.', max: 200 },
        limit,
      },
      answer: ['found'],
    }),
  ],
  resources: [
    {
      path: '/llms.txt',
      name: 'guide',
      title: 'Guide to the directory',
      description: 'How to search, browse and read the directory over plain HTTP, with every address and parameter.',
      mimeType: 'text/plain',
      text: (publicUrl) => directoryTexts(publicUrl).find(({ path }) => path === '/llms.txt')?.text ?? '',
    },
  ],
  prompts: [
    {
      name: 'find_what_helps',
      title: 'Find what helps with a task',
      description: 'Looks for tool servers, skills and plugins that help with a task, and compares them.',
      arguments: [{ name: 'task', description: 'What you want to get done.' }],
      text: ({ task }) =>
        `Find published tool servers, skills and plugins that help with this task: ${task}\n\nSearch with search_mcp_servers, search_skills and search_plugins, with two or three different wordings each. Compare at most five results: what each one does, how widely it is used, and what it would take to install it. Recommend one, or say that none fits. Install nothing.`,
    },
  ],
}
