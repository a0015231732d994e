import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { findCompiled } from '../compiled-query.ts';
import { COMPILED } from './compiled.ts';
import { openSqlite } from './open-sqlite.ts';

const folder = temporaryFolder('plans');
const path = `${folder.path}/deed.db`;
openSqlite(path).close();
const connection = new DatabaseSync(path);
afterAll(() => {
  connection.close();
  folder.dispose();
});

const ofKindInProject = Object.keys(COMPILED).filter((name) => /^newest \w+\(project\)$/u.test(name));

test.each(ofKindInProject)('%s reads only events of this kind in this project', (name) => {
  const [statement = ''] = findCompiled(COMPILED, name) ?? [];
  const parameters = [...statement.matchAll(/\?/gu)].map(() => 1);
  const plan = connection.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters);
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH events USING INDEX events_project_kind (project_id=? AND kind=?)',
  ]);
});

test('there are plans to check', () => {
  expect(ofKindInProject).toHaveLength(5);
});
