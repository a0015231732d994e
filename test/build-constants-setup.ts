/** The build constants as globals: these suites load the source without a build. */
import { buildConstants } from '../scripts/build-constants.ts';

for (const [name, value] of Object.entries(buildConstants())) {
  Reflect.set(globalThis, name, JSON.parse(value));
}
