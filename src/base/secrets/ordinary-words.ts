import { wordSet } from '../word-set.ts';

/** Words that follow the name of a secret in ordinary text: states, types, and the words that sentences consist of. */
export const ordinaryWords = wordSet(
  `a about absent accepted access account active actual added after again all allowed already also an and any api are argument arguments as
  ask at auth authentication authorization available bad basic be bearer because been before below between blank boolean both bool but by
  bytes can cannot changed char character characters check choose code comes config configured contains cookie correct could count created credential credentials
  default defined deleted denied deprecated did disabled do docs documentation does done don't each either else empty enabled env environment error
  exists expected expires expired fail failed false field file first flag flags for format found from generated get given goes got had
  handling has hash hashing have header headers here how id if ignored in incorrect inherit inherited input instead int integer invalid is issued it its
  jwt key keys known last leaked least length letters like limit limits list login long lost lower management manager masked match matches matched max
  may me mean mind method min missing mode must my na name names needed needs never new next nil no non none not null number object of off oid
  ok old on once one only optional option options or other our out output own page param parameter parameters parse parsed parser passed
  password passwords path permission pending per plain please policy present private prompt prompted protected provide provided public rather
  read reads received redacted refresh rejected removed renewed required requires reset revoked rotate rotated rotation same scheme scope
  scopes secret secrets see sent server session set sets should show size so some status stdin stored str string strings text than that
  the their them then there these they this to token tokenizer tokens too true try tuple type types undefined under unknown unset until
  up update updated upper usage use used user username using valid validated validation value values variable variables via void was we
  were what when where which while who why will with without word words wrong yaml yes you your passwort kennwort contraseña passe senha wachtwoord hasło lösenord passord adgangskode
  salasana heslo jelszó şifre lozinka пароль пароля 密码 密碼 パスワード 비밀번호 de la le les el los un una une des du der die das und ist ein
  eine het een et du não не для
  obligatoire obligatoria obligatorio obrigatória requis requise erforderlich verplicht wymagane falsch ungültig invalide incorrecta incorreta
  olvidada oubliée vergessen обязателен неверный`,
);
