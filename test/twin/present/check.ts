import type { Commit } from '../git/read-commits.ts';
import { fullName } from '../world/look-up.ts';
import type { Annotation, CheckRun, CheckSuite, Thread, World } from '../world/world.ts';
import { type Json, nodeId } from './account.ts';
import { presentApp } from './app.ts';
import { presentMinimalPull } from './pull.ts';
import { presentMinimalRepository, repositoryUrl } from './repository.ts';

export function presentRun(world: World, run: CheckRun): Json {
  const { suite } = run;
  const api = repositoryUrl(world.origin, suite.repository);
  const page = `${world.origin}/${fullName(suite.repository)}/runs/${run.id}`;
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: suite.headSha,
    external_id: run.externalId,
    url: `${api}/check-runs/${run.id}`,
    html_url: page,
    details_url: run.detailsUrl ?? page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${api}/check-runs/${run.id}/annotations`,
    },
    check_suite: { id: suite.id },
    app: presentApp(world.origin, suite.app),
    pull_requests: pullsOf(suite).map(each => presentMinimalPull(world, each)),
  };
}

export function presentAnnotation(world: World, run: CheckRun, annotation: Annotation): Json {
  const { repository, headSha } = run.suite;
  return {
    path: annotation.path,
    blob_href: `${world.origin}/${fullName(repository)}/blob/${headSha}/${annotation.path}`,
    start_line: annotation.start_line,
    end_line: annotation.end_line,
    start_column: annotation.start_column ?? null,
    end_column: annotation.end_column ?? null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  };
}

export function presentSuite(world: World, suite: CheckSuite, commit: Commit): Json {
  const api = repositoryUrl(world.origin, suite.repository);
  return {
    ...presentSuiteState(world, suite),
    url: `${api}/check-suites/${suite.id}`,
    repository: presentMinimalRepository(world.origin, suite.repository),
    head_commit: {
      id: commit.id,
      tree_id: commit.tree,
      message: commit.message,
      timestamp: commit.committer.date,
      author: { name: commit.author.name, email: commit.author.email },
      committer: { name: commit.committer.name, email: commit.committer.email },
    },
    latest_check_runs_count: suite.runs.length,
    check_runs_url: `${api}/check-suites/${suite.id}/check-runs`,
    rerequestable: true,
    runs_rerequestable: true,
  };
}

/** As it stands inside the webhook of a check run. */
export function presentSuiteState(world: World, suite: CheckSuite): Json {
  const { status, conclusion } = stateOf(suite);
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status,
    conclusion,
    url: `${repositoryUrl(world.origin, suite.repository)}/check-suites/${suite.id}`,
    before: suite.before,
    after: suite.headSha,
    pull_requests: pullsOf(suite).map(each => presentMinimalPull(world, each)),
    app: presentApp(world.origin, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  };
}

/** "The Checks API only looks for pushes in the repository where the check suite was created": none of a fork. */
function pullsOf({ repository, headSha }: CheckSuite): readonly Thread[] {
  return [...repository.threads.values()].filter(
    ({ pull, state }) => state === 'open' && pull?.headSha === headSha && pull.headRepository === repository,
  );
}

const WORST_FIRST = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'stale',
  'success',
  'neutral',
  'skipped',
];

/** The latest run of each name decides. */
export function stateOf(suite: CheckSuite): { readonly status: string; readonly conclusion: string | null } {
  const latest = [...new Map(suite.runs.map(run => [run.name, run])).values()];
  if (latest.length === 0) return { status: 'queued', conclusion: null };
  if (latest.some(run => run.status !== 'completed')) return { status: 'in_progress', conclusion: null };
  const conclusion = WORST_FIRST.find(each => latest.some(run => run.conclusion === each)) ?? 'neutral';
  return { status: 'completed', conclusion };
}
