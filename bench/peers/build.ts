/**
 * Builds the compiled contenders in a cache folder outside of the repository, from the registries
 * of their languages. Nothing of their code is stored here.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The newest version whose packages build with Rust 1.95; 0.3.1 and later need 1.97. */
const HIVE_ROUTER_VERSION = '0.2.19'
/** Its releases are tags that are no versions of Go, so only a commit can be named. */
const COSMO_ROUTER = 'github.com/wundergraph/cosmo/router/cmd/router@latest'

export const CACHE_FOLDER = process.env.PEERS_CACHE ?? join(tmpdir(), 'atrium-peers')

/** A compiled contender: its file, or the reason why there is none. */
export type Built = { readonly file: string } | { readonly missing: string }

export const hiveRouter = (): Built => builtAt('hive-router/bin/hive_router', 'Hive Router')
export const cosmoRouter = (): Built => builtAt('cosmo-router/router', 'Cosmo Router')

function builtAt(path: string, name: string): Built {
  const file = join(CACHE_FOLDER, path)
  if (existsSync(file)) return { file }
  return { missing: `${name} is not built: npx node bench/peers.ts --build` }
}

/** Builds what is missing, one job at a time; prints what fails. */
export function build(): void {
  mkdirSync(CACHE_FOLDER, { recursive: true })
  if ('missing' in hiveRouter()) {
    const target = ['--root', join(CACHE_FOLDER, 'hive-router'), '--target-dir', join(CACHE_FOLDER, 'hive-target')]
    // The feature brings another page for browsers, in place of one whose npm package is not in every registry.
    run(
      'cargo',
      [
        'install',
        'hive-router',
        '--version',
        HIVE_ROUTER_VERSION,
        '--locked',
        '--features',
        'graphiql',
        '--bin',
        'hive_router',
        ...target,
      ],
      {
        CARGO_BUILD_JOBS: '1',
        // As its own workspace builds it.
        CARGO_PROFILE_RELEASE_LTO: 'true',
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '1',
      },
    )
  }
  if ('missing' in cosmoRouter()) {
    run('go', ['install', '-p', '1', COSMO_ROUTER], { GOBIN: join(CACHE_FOLDER, 'cosmo-router') })
  }
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  console.log(`${command} ${args.join(' ')}`)
  const { status, error } = spawnSync('nice', ['-n', '10', command, ...args], {
    cwd: CACHE_FOLDER,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  if (status !== 0) console.log(`Not built: ${error?.message ?? `${command} ended with ${status}`}`)
}

/** Writes the supergraph and the configuration of Hive Router, which it reads in its folder. */
export function hiveRouterSettings(
  supergraphSdl: string,
  port: number,
): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const cwd = join(CACHE_FOLDER, 'run')
  mkdirSync(cwd, { recursive: true })
  writeFileSync(join(cwd, 'supergraph.graphql'), supergraphSdl)
  // Each client's request does its own work, as in the other contenders.
  writeFileSync(join(cwd, 'router.config.yaml'), 'traffic_shaping:\n  all:\n    dedupe_enabled: false\n')
  return {
    cwd,
    env: { SUPERGRAPH_FILE_PATH: join(cwd, 'supergraph.graphql'), PORT: `${port}`, HOST: '127.0.0.1', LOG_LEVEL: 'error' },
  }
}
