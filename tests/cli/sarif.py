"""Is a report valid SARIF?

    sarif.py SCHEMA REPORT RESULTS RELATED   it fits the schema, has so many results, and the first one has so many
                                             related locations; results name the rules that stand at their index
"""
import json
import sys

import jsonschema


def main():
    schema, report = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3])
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(report, schema, jsonschema.Draft7Validator)
    run = report['runs'][0]
    rules, results = run['tool']['driver']['rules'], run['results']
    assert len(results) == int(sys.argv[3]), f'{len(results)} results'
    for result in results:
        assert rules[result['ruleIndex']]['id'] == result['ruleId'], result['ruleId']
    related = [place for result in results[:1] for place in result.get('relatedLocations', [])]
    assert len(related) == int(sys.argv[4]), f'{len(related)} related locations'
    assert len({place['id'] for place in related}) == len(related), 'ids of related locations are not unique'


main()
