import { type CommitId, commitId } from '../git/object-id.ts';
import type { AskRepository } from './ask-repository.ts';
import type { Forge, Found } from './forge.ts';
import { isBotLogin, readRole } from './read-facts.ts';

// A login is one segment of a path and nothing else. People of an enterprise carry an underscore.
const LOGIN = /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?$/;

export function repositoryCalls({
  ask,
  facts,
}: AskRepository): Pick<Forge, 'repository' | 'role' | 'branchHead'> {
  return {
    repository: facts,
    role: async login => {
      if (isBotLogin(login) || !LOGIN.test(login)) return 'none';
      const found = await ask({ what: `role of ${login}` }, (client, at) =>
        client.rest.repos.getCollaboratorPermissionLevel({ ...at, username: login }),
      );
      return found.kind === 'found' ? readRole(found.value) : 'none';
    },
    branchHead: async (branch): Promise<Found<CommitId>> => {
      const found = await ask({ what: `branch ${branch}` }, (client, at) =>
        client.rest.git.getRef({ ...at, ref: `heads/${branch}` }),
      );
      if (found.kind === 'gone') return found;
      return { kind: 'found', value: commitId(found.value.object.sha) };
    },
  };
}
