/**
 * A task in a sentence, and what a set of items for it must have: for each pattern an item whose
 * key or name it matches. Written before the suggestions existed.
 */
export type LabelledTask = { readonly task: string; readonly needs: readonly RegExp[] }

/** Tasks that the weights of suggestions are tuned on. */
export const tasks: readonly LabelledTask[] = [
  {
    task: 'Read the open issues of our GitHub repository and post a summary to a Slack channel every Monday',
    needs: [/github/i, /slack/i],
  },
  { task: 'query my Postgres database and put the result into a Google Sheet', needs: [/postgres|pg/i, /sheet/i] },
  {
    task: 'Take a screenshot of a web page in a browser and compare it with the Figma design',
    needs: [/playwright|browser|puppeteer|screenshot/i, /figma/i],
  },
  { task: 'When Sentry reports an error, open a ticket in Linear', needs: [/sentry/i, /linear/i] },
  { task: 'find papers on arXiv about diffusion models and save notes to Obsidian', needs: [/arxiv|paper/i, /obsidian/i] },
  { task: 'get the transcript of a YouTube video and translate it', needs: [/youtube|transcript/i] },
  { task: 'check Stripe for failed payments, then write a mail to each customer with Gmail', needs: [/stripe/i, /gmail|mail/i] },
  {
    task: 'list pods that crash in my Kubernetes cluster and look at Grafana dashboards',
    needs: [/kubernetes|k8s|kube/i, /grafana/i],
  },
  { task: 'I want my agent to remember things between conversations', needs: [/memory|mem0|remember|knowledge/i] },
  { task: 'convert PDF files to markdown', needs: [/pdf|markdown|markitdown/i] },
  { task: 'Plan a meeting: look for a free slot in Google Calendar and create a Zoom link', needs: [/calendar/i, /zoom/i] },
  { task: 'sync contacts from HubSpot to Airtable', needs: [/hubspot/i, /airtable/i] },
  { task: 'search the web with Brave and crawl the results with Firecrawl', needs: [/brave/i, /firecrawl/i] },
  { task: 'deploy a container with Docker and store files in an S3 bucket on AWS', needs: [/docker/i, /aws|s3/i] },
  { task: 'read Jira tickets and update the Confluence page', needs: [/jira|atlassian/i, /confluence|atlassian/i] },
  { task: 'control Spotify playback', needs: [/spotify/i] },
  { task: 'write unit tests and review the code of a pull request', needs: [/test|review/i] },
  { task: 'Load data from MongoDB into Snowflake and cache it in Redis', needs: [/mongo/i, /snowflake/i, /redis/i] },
  { task: 'weather forecast for my trip and flights', needs: [/weather|forecast/i, /flight|travel|trip/i] },
  { task: 'Send a Telegram message when Bitcoin drops', needs: [/telegram/i, /bitcoin|crypto|coin/i] },
]

/** Tasks that nothing is tuned on. */
export const heldOutTasks: readonly LabelledTask[] = [
  { task: 'Fetch new orders from Shopify and write them to a Notion database', needs: [/shopify/i, /notion/i] },
  { task: 'create a pull request on GitLab when a test in CircleCI fails', needs: [/gitlab/i, /circleci/i] },
  { task: 'turn a Word document into slides', needs: [/word|docx|office/i, /slide|ppt|powerpoint|presentation/i] },
  { task: 'Post to Discord and to Reddit about a new release', needs: [/discord/i, /reddit/i] },
  { task: 'run SQL on BigQuery and draw charts of the result', needs: [/bigquery/i, /chart|plot|graph|visual/i] },
  { task: 'look up a company on LinkedIn and add it to Salesforce', needs: [/linkedin/i, /salesforce/i] },
  { task: 'summarize Wikipedia articles', needs: [/wikipedia/i] },
  { task: 'manage my todo list in Todoist and set reminders', needs: [/todoist/i] },
  { task: 'Debug a web app in Chrome devtools and file bugs in Asana', needs: [/chrome|devtools/i, /asana/i] },
  { task: 'provision infrastructure with Terraform on Azure', needs: [/terraform/i, /azure/i] },
  { task: 'index documents in Elasticsearch, then find similar ones in Qdrant', needs: [/elastic/i, /qdrant/i] },
  { task: 'query Prometheus metrics and page somebody with PagerDuty', needs: [/prometheus/i, /pagerduty/i] },
  { task: 'generate an image and upload it to Cloudinary', needs: [/image|picture|dall|flux|stable/i, /cloudinary/i] },
  { task: 'scan my code for vulnerabilities with Semgrep and Snyk', needs: [/semgrep/i, /snyk/i] },
  { task: 'Track time in Toggl and make an invoice', needs: [/toggl/i] },
  { task: 'find places on Google Maps', needs: [/map/i] },
  { task: 'Read a Kafka topic and insert rows into ClickHouse', needs: [/kafka|confluent/i, /clickhouse/i] },
  { task: 'send an SMS with Twilio when a Zendesk ticket is urgent', needs: [/twilio/i, /zendesk/i] },
  { task: 'look for up to date documentation of a library while coding', needs: [/context7|doc/i] },
  { task: 'control the lights at home with Home Assistant', needs: [/home.?assistant|hass/i] },
]
