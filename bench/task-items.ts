/**
 * How often a set of items for a task has what the task needs, over real data.
 *
 *   node bench/task-items.ts [FOLDER]
 *
 * Imports FOLDER (default ../shared/data/directory) into a database of its own, and asks for the
 * items of every task of relevance/tasks.ts. Reports, for the tasks that weights are tuned on and
 * for those kept back: tasks whose every need is met by a pick, needs met, items of a set, those of them that meet none,
 * and milliseconds. Exits 2 without data.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { withDirectory } from './relevance/directory.ts'
import { heldOutTasks, type LabelledTask, tasks } from './relevance/tasks.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../../shared/data/directory')
if (!existsSync(folder)) {
  console.error(`There is no data at ${folder}: name a folder that \`npx atrium import\` takes.`)
  process.exit(2)
}

const SOURCE = `query ($task: String!) { itemsForTask(task: $task) { uncovered picks { reason item { name
  ... on McpServer { owner repo } ... on Plugin { marketplaceSlug slug } ... on Skill { skillSlug: slug } } } } }`

type Answer = { itemsForTask: { uncovered: string[]; picks: { reason: string; item: Record<string, string> }[] } }

await withDirectory(folder, async (run) => {
  for (const [title, set] of Object.entries({ tuned: tasks, 'kept back': heldOutTasks })) await measure(title, set)

  async function measure(title: string, set: readonly LabelledTask[]): Promise<void> {
    let [met, needs, whole, items, extra] = [0, 0, 0, 0, 0]
    const times: number[] = []
    for (const { task, needs: wanted } of set) {
      const started = performance.now()
      const { itemsForTask } = (await run(SOURCE, { task })) as Answer
      times.push(performance.now() - started)
      const names = itemsForTask.picks.map(({ item }) => `${item.name} ${item.owner}/${item.repo}${item.skillSlug}${item.slug}`)
      const missing = wanted.filter((pattern) => !names.some((name) => pattern.test(name)))
      met += wanted.length - missing.length
      needs += wanted.length
      extra += names.filter((name) => !wanted.some((pattern) => pattern.test(name))).length
      whole += missing.length === 0 ? 1 : 0
      items += names.length
      const picks = itemsForTask.picks.map(({ item, reason }) => `${item.name} [${reason}]`).join('; ')
      console.log(
        `${missing.length === 0 ? 'ok    ' : 'MISSED'} ${task}\n       ${picks}; without: ${itemsForTask.uncovered.join(' ')}`,
      )
    }
    times.sort((one, other) => one - other)
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0
    console.log(
      `${title}: ${whole} of ${set.length} tasks, ${met} of ${needs} needs, ${(items / set.length).toFixed(1)} items a task (${(extra / set.length).toFixed(1)} that no need names), p95 ${p95.toFixed(0)} ms\n`,
    )
  }
})
