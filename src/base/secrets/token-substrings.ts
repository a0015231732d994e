import { wordSet } from '../word-set.ts';

/**
 * The substrings of `tokenFormats`, in lower case. They are listed here again, so that a text without any of them does not have to create
 * that table.
 */
export const tokenSubstrings = wordSet(
  `ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- gr1348941 atbb atatt3 atctt3 npm_
  pypi-age rubygems_ clojars_ oy2 dckr_pat_ dckr_oat_ akcp cmvmdgtu bkua_ bkct_ bkpt_ ccipat_ cciprj_ squ_ sqp_ sqa_ snyk_uat. snyk_sat.
  sntrys_ sntryu_ sntrya_ akia asia abia acca absk aiza ya29. gocspx- 1//0 q~ ltai akid dop_v1_ doo_v1_ dor_v1_ hrku- hvs. hvb. hvr.
  .atlasv1. pul- dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dapi pscale_tkn_ pscale_pw_ pscale_oauth_ sbp_ sb_secret_ nfp_ nfc_ vcp_
  vci_ vca_ vcr_ vck_ vercel_blob_rw_ rnd_ fo1_ fm1r_ fm2_ v1.0- tskey- aqvn t1.9eu y0_ glc_ glsa_ nrak- nrii- nrra- nrjs- nraa- dt0c01. dt0s01. dt0s16. api-
  sdk- pnu_ pnb_ ops_ey a3- age-secret-key-1 sk- sk_ gsk_ hf_ api_org_ r8_ pplx- xai- nvapi- tgp_v1_ tvly- lsv2_pt_ lsv2_sk_ pcsk_ jina_ fc-
  fw_ xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xapp- xwfp- hooks.slack.com /api/webhooks/ webhook.office.com
  hooks.zapier.com :aa sg. key- -us xkeysib- xsmtpsib- sk_live_ sk_test_ rk_live_ rk_test_ sk_org_ whsec_ sq0atp- sq0csp- eaaa shpat_
  shpca_ shppa_ shpss_ shptka_ access-sandbox- access-production- access-development- ezak eztk shippo_live_ shippo_test_ duffel_live_
  duffel_test_ eaac eaab eaag eaad eaam aaaaaaaaaaaaaaaaaaaa lin_api_ lin_oauth_ ntn_ secret_ figd_ figo_ pmak- pmat- pat-na1- pat-eu1-
  pat-na2- cfpat- tfp_ pk_ rdme_ aio_ sk.eyj fio-u- ico- flwseck- flwseck_test- amzn.mws. access_token$ eyj ls0tls1crudjti -----begin putty-user-key-file
  $2 $6$ $5$ $1$ $y$ $apr1$ $argon2`,
);
